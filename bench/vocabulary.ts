const VOCABULARY = 20_000
const WORDS_A_MESSAGE = 12

/** Returns a generator of words with a natural language's frequencies: a few words are common, most are rare. */
export function vocabulary(): () => string {
  let state = 1
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const syllables = [...'bdfgklmnprstv'].flatMap((letter) => [...'aeiouéö'].map((vowel) => letter + vowel))
  const syllable = () => syllables[Math.floor(random() * syllables.length)] ?? ''
  const words = Array.from({ length: VOCABULARY }, () => Array.from({ length: 2 + Math.floor(random() * 3) }, syllable).join(''))
  return () => words[Math.floor(VOCABULARY ** random()) - 1] ?? ''
}

/** Returns a line of words from the generator. */
export const lineOf = (word: () => string): string => Array.from({ length: WORDS_A_MESSAGE }, () => word()).join(' ')
