/** Code in a text: `from` and `to` enclose its backticks too, `at` is the place of `code`. In UTF-16 units. */
export interface CodeRange {
  from: number
  to: number
  at: number
  code: string
  isBlock: boolean
}

/**
 * Three backticks around lines, or one on each side within a line. What they enclose is shown as it stands. Each is looked for once
 * only: a long message whose code has no end must not stop the page.
 */
const CODE = /```([\s\S]+?)```\n?|(?<!`)`([^`\s](?:[^`\n]*[^`\s])?)`(?!`)/gu
/** The name of a language behind three backticks. */
const LANGUAGE = /^[\w+-]*\n/u

/** Finds the code of a text, first to last. */
export function codeIn(text: string): CodeRange[] {
  return [...text.matchAll(CODE)].flatMap((match) => {
    const [whole, lines, inline = ''] = match
    const language = LANGUAGE.exec(lines ?? '')?.[0].length ?? 0
    const code = lines?.slice(language).replace(/\n$/u, '') ?? inline
    if (!/[^\s`]/u.test(code)) return []
    const isBlock = lines !== undefined
    const at = match.index + (isBlock ? 3 + language : 1)
    return [{ from: match.index, to: match.index + whole.length, at, code, isBlock }]
  })
}
