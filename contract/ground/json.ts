/** Bounds of a JSON text. The time to parse and check it grows with its members, not its bytes. */
export interface JsonBounds {
  /** Levels of nested objects and arrays. */
  depthMax: number
  /** Members of all objects and arrays together. */
  membersMax: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/**
 * True unless the text exceeds a bound. It counts before anything is parsed: to parse and check a megabyte takes a second if it
 * has short members, and a millisecond if it is one long string. It does not check that the text is valid JSON.
 */
export function isWithinBounds(text: string, { depthMax, membersMax }: JsonBounds): boolean {
  let depth = 0
  let members = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (OPENING.has(code)) {
      depth++
      members++
    } else if (CLOSING.has(code)) depth--
    else if (code === COMMA) members++
    if (depth > depthMax || members > membersMax) return false
  }
  return true
}

/** Returns the index where the string that opens at `from` closes; the end of the text if it does not close. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return text.length
}
