export interface TextPart {
  text: string
  /** The address that a click opens, if the part is a link. */
  href?: string
}

const WEB = /\b(?:https?:\/\/|www\.)[^\s<>"']+/giu
// No "?" and no "%": a link could fill in the letter's subject and text.
const MAIL = /(?<![^\s<("'])[\w.+-]+@[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}(?![\w@-])/giu
// Punctuation at the end belongs to the sentence, not to the address.
const TRAILING = new Set('.,;:!?\'"»”’…')
const BRACKETS = ['()', '[]', '{}']

/** Cuts a text into plain parts and addresses: http, https, "www." and mail. Nothing is fetched. */
export function textParts(text: string): TextPart[] {
  const found = [...text.matchAll(WEB), ...text.matchAll(MAIL)].sort((a, b) => a.index - b.index)
  const parts: TextPart[] = []
  let at = 0
  for (const match of found) {
    const address = trimmed(match[0], text[match.index - 1])
    const href = hrefOf(address)
    if (!href || match.index < at) continue
    if (match.index > at) parts.push({ text: text.slice(at, match.index) })
    parts.push({ text: address, href })
    at = match.index + address.length
  }
  if (at < text.length) parts.push({ text: text.slice(at) })
  return parts
}

function hrefOf(address: string): string | undefined {
  if (!/^(https?:|www\.)/i.test(address)) return `mailto:${address}`
  // "www." alone is a word, and so is "www.example".
  if (/^www\./i.test(address) && !/^www\.[^./]+\.[^./]/i.test(address)) return undefined
  const whole = /^www\./i.test(address) ? `https://${address}` : address
  return URL.canParse(whole) ? new URL(whole).href : undefined
}

/** Cuts in one pass, because an address may be as long as a message. `before`: a star or tilde formats the address, and ends it. */
function trimmed(address: string, before = ''): string {
  // A closing bracket whose partner is before the address is no part of it: "(see https://a.example)".
  const closing = new Map(BRACKETS.map(([open, close = '']) => [close, count(address, close) - count(address, open)]))
  let end = address.length
  for (; end > 0; end--) {
    const last = address.charAt(end - 1)
    if (TRAILING.has(last) || (last === before && '*~'.includes(last))) continue
    const left = closing.get(last) ?? 0
    if (left <= 0) break
    closing.set(last, left - 1)
  }
  return address.slice(0, end)
}

const count = (text: string, character = '') => text.split(character).length - 1
