import { codeIn } from './codeInText.ts'

/** A line: `sign` is what a list's item has before its words. In UTF-16 units. */
interface TextLine {
  from: number
  to: number
  sign: string
}

export interface TextBlock {
  kind: 'words' | 'quote' | 'list'
  from: number
  to: number
  lines: TextLine[]
}

const BEGINS = /^(?:> |(?:[-*•]|\d{1,3}[.)]) (?=\S))/

/** Cuts a text into words, quotes and lists [docs/formatting.md]. A list has two lines. Code stands as it was typed. */
export function blocksOf(text: string): TextBlock[] {
  const code = codeIn(text).filter(({ isBlock }) => isBlock)
  const blocks: TextBlock[] = []
  let [next, from] = [0, 0]
  for (const line of text.split('\n')) {
    const to = from + line.length
    while ((code[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++
    const sign = (code[next]?.from ?? Number.POSITIVE_INFINITY) < to ? undefined : BEGINS.exec(line)?.[0]
    const kind = sign === undefined ? 'words' : sign === '> ' ? 'quote' : 'list'
    const words = { from: from + (sign?.length ?? 0), to, sign: sign === '> ' ? '' : (sign ?? '').trim() }
    const before = blocks.at(-1)
    if (before?.kind === kind) {
      before.to = to
      before.lines.push(words)
    } else blocks.push({ kind, from, to, lines: [words] })
    from = to + 1
  }
  return joined(blocks)
}

/** A line alone is no list, and goes with the words around it. */
function joined(blocks: TextBlock[]): TextBlock[] {
  const all: TextBlock[] = []
  for (const block of blocks) {
    const isWords = block.kind === 'words' || (block.kind === 'list' && block.lines.length < 2)
    const before = all.at(-1)
    if (!isWords) all.push(block)
    else if (before?.kind === 'words') before.to = block.to
    else all.push({ ...block, kind: 'words' })
  }
  return all
}
