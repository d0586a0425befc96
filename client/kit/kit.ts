/** How many words a kit has: 32 bytes and a checksum, in BIP-39 words. */
export const KIT_WORDS = 24
const PLACES_ASKED = 3
/** Four letters tell the words of the list apart (BIP-39): some people write down no more. */
const TELLING_LETTERS = 4

const isSaid = (typed: string, word: string): boolean =>
  typed === word || (typed.length >= TELLING_LETTERS && word.startsWith(typed))

/** Letters with marks on them, from a foreign keyboard, are read as the plain ones; numbers and dots between words do not count. */
export const wordsIn = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/\p{L}+/gu) ?? []

/** What the code of a kit holds. Capitals and spaces have an alphabet of their own in a QR code: it gets a third smaller. */
export const kitCode = (words: readonly string[]): string => words.join(' ').toUpperCase()

/** The words that a kit may have. Public; they come when somebody types one. */
export const loadWordlist = async (): Promise<readonly string[]> => (await import('@scure/bip39/wordlists/english.js')).wordlist

/** What was typed so far. A word that is still being typed is not unknown while it can become a known one. */
export function readKit(text: string, wordlist: readonly string[]): { count: number; unknown: string[] } {
  const words = wordsIn(text)
  const isOpenEnded = /\p{L}$/u.test(text)
  const isHeld = (word: string, at: number) =>
    wordlist.some((known) => (isOpenEnded && at === words.length - 1 ? known.startsWith(word) : isSaid(word, known)))
  return { count: words.length, unknown: [...new Set(words.filter((word, at) => !isHeld(word, at)))] }
}

/** "ocean", "ocean and river", "ocean, river and 3 more": never a wall of words that were pasted by mistake. */
export function listWords(words: string[], shownMax = 3): string {
  const shown = words.slice(0, shownMax).map((word) => `“${word}”`)
  const rest = words.length - shown.length
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

/** Three places of a kit, counted from 1, in order: nobody knows beforehand which words are asked for. */
export function pickPlaces(): number[] {
  const places = new Set<number>()
  while (places.size < PLACES_ASKED) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    // The bytes that 24 does not divide evenly are drawn again.
    if (byte < 240) places.add((byte % KIT_WORDS) + 1)
  }
  return [...places].sort((a, b) => a - b)
}

/** The places whose word was typed wrong. */
export const wrongPlaces = (words: readonly string[], typed: Record<number, string>, places: number[]): number[] =>
  places.filter((place) => !isSaid(wordsIn(typed[place] ?? '').join(' '), words[place - 1] ?? ''))
