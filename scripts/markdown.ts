// The documents of docs/ as HTML: as much of Markdown as they use, and nothing that they could smuggle in.

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Gives the address at which a link of a document is shown; undefined if it is not: then its words stay without it. */
type Addresses = (link: string) => string | undefined

/** Headings, paragraphs, lists, tables, fenced code; in them code, bold, italics and links. Everything else is text. */
export function htmlOf(markdown: string, addressOf: Addresses): string {
  const inline = (text: string): string => {
    // Code is set aside, because nothing in it is a mark, and bold words may have some.
    const codes: string[] = []
    const rest = text.replace(/`([^`]+)`/g, (_, code: string) => `\0${codes.push(`<code>${escaped(code)}</code>`) - 1}\0`)
    return styled(rest, addressOf).replace(/\0(\d+)\0/g, (_, at: string) => codes[Number(at)] ?? '')
  }
  return blocksOf(markdown)
    .map((lines) => blockHtml(lines, inline))
    .join('\n')
}

/** Names such as AES-256-GCM have hyphens, at which a narrow column would break them. */
const whole = (text: string): string =>
  text.replace(/\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b(?![^(]*\.md\))/g, '<span class="whole">$&</span>')

function styled(text: string, addressOf: Addresses): string {
  const linked = (_: string, words: string, link: string) => {
    const address = /^https:\/\//.test(link) ? link : addressOf(link)
    return address ? `<a href="${address}">${words}</a>` : words
  }
  return whole(escaped(text))
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, linked)
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>')
}

/** Lines that belong together: those between empty lines, a heading alone, a fence whole. */
function blocksOf(markdown: string): string[][] {
  const blocks: string[][] = [[]]
  let isFenced = false
  for (const line of markdown.split('\n')) {
    const block = blocks.at(-1) ?? []
    const isFence = line.startsWith('```')
    if (isFenced) {
      block.push(line)
      if (isFence) blocks.push([])
      isFenced = !isFence
      continue
    }
    const isApart = isFence || /^#{1,4} /.test(line)
    if (line.trim() === '') blocks.push([])
    else if (isApart) blocks.push([line])
    else if (/^#{1,4} /.test(block[0] ?? '') || (isItem(line) && block.length > 0 && !isItem(block[0] ?? ''))) blocks.push([line])
    else block.push(line)
    isFenced = isFence
  }
  return blocks.filter((block) => block.length > 0)
}

const isItem = (line: string): boolean => /^\s*([-*]|\d+\.) /.test(line)

function blockHtml(lines: string[], inline: (text: string) => string): string {
  const [first = ''] = lines
  const heading = /^(#{1,4}) (.+)$/.exec(first)
  if (heading) return `<h${heading[1]?.length}>${inline(heading[2] ?? '')}</h${heading[1]?.length}>`
  if (first.startsWith('```')) return `<pre><code>${escaped(lines.slice(1, -1).join('\n'))}</code></pre>`
  if (first.startsWith('|')) return tableHtml(lines, inline)
  if (isItem(first)) return listHtml(lines, inline)
  return `<p>${inline(lines.join(' '))}</p>`
}

function listHtml(lines: string[], inline: (text: string) => string): string {
  const items: string[] = []
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(/^\s*([-*]|\d+\.) /, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  const tag = /^\s*\d/.test(lines[0] ?? '') ? 'ol' : 'ul'
  return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`
}

function tableHtml(lines: string[], inline: (text: string) => string): string {
  const cells = (line: string) =>
    line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => inline(cell.trim()))
  const [head = '', , ...rows] = lines
  const row = (line: string, tag: 'th' | 'td') =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${cell}</${tag}>`)
      .join('')}</tr>`
  return `<div class="table" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${rows.map((line) => row(line, 'td')).join('')}</tbody></table></div>`
}
