export interface TextPart {
  text: string
  /** The address that a click opens, if the part is a link. */
  href?: string
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"']+/giu
// Punctuation at the end belongs to the sentence, not to the address.
const TRAILING = /[.,;:!?'"»”’…]+$/u

/** Cuts a text into plain parts and web addresses (http and https only). Nothing is fetched. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const match of text.matchAll(ADDRESS)) {
    const address = trimmed(match[0])
    if (!URL.canParse(address)) continue
    if (match.index > at) parts.push({ text: text.slice(at, match.index) })
    parts.push({ text: address, href: new URL(address).href })
    at = match.index + address.length
  }
  if (at < text.length) parts.push({ text: text.slice(at) })
  return parts
}

function trimmed(address: string): string {
  let kept = address.replace(TRAILING, '')
  // A closing bracket whose partner is before the address is no part of it: "(see https://a.example)".
  for (const [open, close] of ['()', '[]', '{}'] as const) {
    while (kept.endsWith(close ?? '') && count(kept, close) > count(kept, open)) kept = kept.slice(0, -1).replace(TRAILING, '')
  }
  return kept
}

const count = (text: string, character = '') => text.split(character).length - 1
