/** How many words a kit has: 32 bytes and a checksum, in BIP-39 words. */
export const KIT_WORDS = 24
const PLACES_ASKED = 3
/** The first four letters of a word are unique in the list (BIP-39): some people write down no more. */
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

/** The content of a kit's QR code. Capitals and spaces use its alphanumeric mode, which is a third smaller. */
export const kitCode = (words: readonly string[]): string => words.join(' ').toUpperCase()

/** The BIP-39 word list: public, and loaded when somebody types a word. */
export const loadWordlist = async (): Promise<readonly string[]> => (await import('@scure/bip39/wordlists/english.js')).wordlist

/** Counts the words typed so far and names the unknown ones. The last word is known while it is the beginning of a known one. */
export function readKit(text: string, wordlist: readonly string[]): { count: number; unknown: string[] } {
  const words = wordsIn(text)
  const isOpenEnded = /\p{L}$/u.test(text)
  const isHeld = (word: string, at: number) =>
    wordlist.some((known) => (isOpenEnded && at === words.length - 1 ? known.startsWith(word) : isSaid(word, known)))
  return { count: words.length, unknown: [...new Set(words.filter((word, at) => !isHeld(word, at)))] }
}

/** "ocean", "ocean and river", "ocean, river and 3 more": at most three, as a whole text may be pasted by mistake. */
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
