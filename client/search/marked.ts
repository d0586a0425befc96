import type { FoundMessage } from '../crypto/crypto.ts'

/** Splits a text into matched parts and the parts between them. */
export function markedParts({ text, marks }: Pick<FoundMessage, 'text' | 'marks'>) {
  const parts: { at: number; text: string; isMarked: boolean }[] = []
  let end = 0
  for (const [from, to] of [...marks, [text.length, text.length] as const]) {
    parts.push(
      { at: end, text: text.slice(end, from), isMarked: false },
      { at: from, text: text.slice(from, to), isMarked: true },
    )
    end = to
  }
  return parts.filter((part) => part.text !== '')
}
