export type Style = 'bold' | 'italic' | 'strike'

/** `from` and `to`: the places of the two marks, each of `width` characters. In UTF-16 units. */
export interface Emphasis {
  from: number
  to: number
  width: number
  style: Style
}

const STYLES: Record<string, Style> = { '*': 'bold', '**': 'bold', _: 'italic', '~': 'strike', '~~': 'strike' }
const MARK = /\*+|_+|~+|\n/g
const SPACE = /\s/u
const LETTER = /[\p{L}\p{N}]/u

/**
 * Finds the emphasis of a text [docs/formatting.md]. A mark opens before a word and closes behind one, in the same line. `skipped`:
 * places in order, such as addresses, in which a mark is none. One pass: a long message must not stop the page.
 */
export function emphasisIn(text: string, skipped: readonly (readonly [from: number, to: number])[] = []): Emphasis[] {
  const found: Emphasis[] = []
  const open = new Map<string, number>()
  let next = 0
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    if (mark === '\n') open.clear()
    while ((skipped[next]?.[1] ?? Number.POSITIVE_INFINITY) <= index) next++
    const style = STYLES[mark]
    if (!style || (skipped[next]?.[0] ?? Number.POSITIVE_INFINITY) <= index) continue
    const [before, after] = [text[index - 1] ?? ' ', text[index + mark.length] ?? ' ']
    const from = open.get(mark)
    if (from !== undefined && !SPACE.test(before) && !LETTER.test(after)) {
      found.push({ from, to: index, width: mark.length, style })
      // What has begun inside ends with it.
      for (const [other, at] of open) if (at >= from) open.delete(other)
    } else if (!SPACE.test(after) && !LETTER.test(before)) open.set(mark, index)
  }
  return found
}
