import { isAscii } from 'node:buffer'
import { randomUUID } from 'node:crypto'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NUL = 0

/** Texts from this size on are left out of what the parser reads. */
const LONG_BYTES = 16 * 1024

/** A JSON with a short mark in the place of each long text. */
interface Shortened {
  json: string
  /** A reviver for JSON.parse: returns the long text that a mark stands for, and any other value as it is. */
  putBack: (key: string, value: unknown) => unknown
}

/**
 * Leaves the long texts without escapes out of a JSON in UTF-8. An address book is a text of megabytes, which the parser would read
 * character by character and copy. Marks are new random words: no sender can name one. Of what the parser refuses in a text only
 * NUL is looked for, which PostgreSQL cannot store: a raw line break in a long text passes.
 */
export function withoutLongTexts(bytes: Buffer): Shortened {
  const mark = randomUUID()
  const texts = new Map<unknown, string>()
  let json = ''
  let from = 0
  for (let at = bytes.indexOf(QUOTE); at >= 0; ) {
    const end = endOfString(bytes, at)
    const text = bytes.subarray(at + 1, end)
    if (text.length > LONG_BYTES && !text.includes(BACKSLASH) && !text.includes(NUL)) {
      const name = `${mark} ${texts.size}`
      // Decoding as Latin-1 takes a sixth of the time.
      texts.set(name, text.toString(isAscii(text) ? 'latin1' : 'utf8'))
      json += `${bytes.toString('utf8', from, at + 1)}${name}`
      from = end
    }
    at = bytes.indexOf(QUOTE, end + 1)
  }
  json += bytes.toString('utf8', from)
  return { json, putBack: (_, value) => texts.get(value) ?? value }
}

/** Returns the index where the string that opens at `from` closes; the end of the bytes if it does not close. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return bytes.length
}
