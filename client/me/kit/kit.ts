/** Number of a kit's BIP-39 words, which encode 32 bytes and a checksum. */
export const KIT_WORDS = 24
const PLACES_ASKED = 3
/** Letters that identify a word of the list (BIP-39). Some people write down no more. */
const TELLING_LETTERS = 4

const isMatch = (typed: string, word: string): boolean =>
  typed === word || (typed.length >= TELLING_LETTERS && word.startsWith(typed))

/** Splits a text into words. Removes accents, which foreign keyboards add, and numbers and dots between words. */
export const wordsIn = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/\p{L}+/gu) ?? []

/** The content of a kit's QR code. Capitals and spaces use its alphanumeric mode, which is a third smaller. */
export const kitCode = (words: readonly string[]): string => words.join(' ').toUpperCase()

/** Loads the BIP-39 word list, which is public, on demand. */
export const loadWordlist = async (): Promise<readonly string[]> => (await import('@scure/bip39/wordlists/english.js')).wordlist

/** Counts the typed words and returns the unknown ones. The last word counts as known while it is the beginning of a known one. */
export function readKit(text: string, wordlist: readonly string[]): { count: number; unknown: string[] } {
  const words = wordsIn(text)
  const isOpenEnded = /\p{L}$/u.test(text)
  const isHeld = (word: string, at: number) =>
    wordlist.some((known) => (isOpenEnded && at === words.length - 1 ? known.startsWith(word) : isMatch(word, known)))
  return { count: words.length, unknown: [...new Set(words.filter((word, at) => !isHeld(word, at)))] }
}

/** "ocean", "ocean and river", "ocean, river and 3 more": at most three, as a whole text may be pasted by mistake. */
export function listWords(words: string[], shownMax = 3): string {
  const shown = words.slice(0, shownMax).map((word) => `“${word}”`)
  const rest = words.length - shown.length
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

/** Picks three random places of a kit, counted from 1, in order. */
export function pickPlaces(): number[] {
  const places = new Set<number>()
  while (places.size < PLACES_ASKED) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    // Bytes from 240 up are drawn again, because 24 does not divide their range evenly.
    if (byte < 240) places.add((byte % KIT_WORDS) + 1)
  }
  return [...places].sort((a, b) => a - b)
}

/** Returns the places with a wrong word. */
export const wrongPlaces = (words: readonly string[], typed: Record<number, string>, places: number[]): number[] =>
  places.filter((place) => !isMatch(wordsIn(typed[place] ?? '').join(' '), words[place - 1] ?? ''))
