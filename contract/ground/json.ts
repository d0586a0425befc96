/** Time to parse grows with members, not bytes. */
export interface JsonBounds {
  depthMax: number
  membersMax: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** Counts without parsing, which takes a second a megabyte. The JSON may be invalid. */
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

/** Returns the text's end for an unclosed string. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return text.length
}
