/** How much a JSON text may hold: parsing and checking it costs by members, not by bytes. */
export interface JsonBounds {
  /** Objects and arrays inside each other. */
  depthMax: number
  /** Members of all its objects and arrays together. */
  membersMax: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/**
 * True unless the text nests deeper or has more members than that. It is counted before anything is parsed: a megabyte of short
 * members is parsed and checked in a second, one long string in a millisecond. Says nothing of whether the text is JSON.
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

/** Where the string that opens at `from` is closed; the end of the text where it is not. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return text.length
}
