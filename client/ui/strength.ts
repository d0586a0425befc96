export interface Strength {
  /** 0 to 4. */
  score: number
  word: string
}

const COMMON = (
  'password passwort qwerty qwertz azerty letmein welcome admin iloveyou monkey dragon football baseball sunshine princess ' +
  'master secret shadow hello conclave abc login summer winter spring autumn trustno michael superman batman starwars freedom'
).split(' ')
const SERIES = 'abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm'
const WORDS = ['Very weak', 'Weak', 'Fair', 'Good', 'Strong'] as const

/** Bits that a letter inside a word adds. A single letter adds as much as any other character. */
const BITS_OF_WORD_LETTER = 2.4

/** Estimates the strength from length, kinds of characters, words and patterns. Uses no lists of leaked passwords. */
export function passwordStrength(password: string, own: string[] = []): Strength {
  const bitsEach = Math.log2(alphabetSize(password))
  const text = withoutKnownWords(password, own)
  const yearLike = /(19|20)\d\d/.test(text) ? 3 : 0
  const wordLetters = [...text.matchAll(/\p{Lu}?\p{Ll}{3,} ?|\p{Lu}{4,} ?/gu)].reduce((sum, [word]) => sum + word.length, 0)
  const others = Math.max(0, text.length - wordLetters - yearLike - seriesIn(text.toLowerCase()))
  const bits = Math.min(others * bitsEach + wordLetters * BITS_OF_WORD_LETTER, new Set(text).size * 2 * bitsEach)
  const score = bits < 24 ? 0 : bits < 40 ? 1 : bits < 56 ? 2 : bits < 72 ? 3 : 4
  return { score, word: WORDS[score] ?? WORDS[0] }
}

/** The password with each known word replaced by one character. */
function withoutKnownWords(password: string, own: string[]): string {
  let text = password.replaceAll('0', 'o').replaceAll('@', 'a').replaceAll('$', 's').replaceAll('3', 'e')
  const names = own.flatMap((name) => name.split(/[\s_]+/)).filter((name) => name.length >= 3)
  const known = [...names, ...COMMON].some((word) => text.toLowerCase().includes(word.toLowerCase()))
  // Digits and signs that look like letters count as letters only if they spell a known word.
  if (!known) return password
  for (const word of [...names, ...COMMON]) {
    for (let at = text.toLowerCase().indexOf(word.toLowerCase()); at >= 0; at = text.toLowerCase().indexOf(word.toLowerCase()))
      text = `${text.slice(0, at)}\u0001${text.slice(at + word.length)}`
  }
  return text
}

/** Counts characters that continue a run on the keyboard, in the alphabet, or of the same character. */
function seriesIn(text: string): number {
  let continued = 0
  for (let at = 2; at < text.length; at++) {
    const three = text.slice(at - 2, at + 1)
    const reversed = [...three].reverse().join('')
    if (SERIES.includes(three) || SERIES.includes(reversed) || new Set(three).size === 1) continued++
  }
  return continued
}

function alphabetSize(password: string): number {
  let size = 0
  if (/[a-z]/.test(password)) size += 26
  if (/[A-Z]/.test(password)) size += 26
  if (/[0-9]/.test(password)) size += 10
  if (/[^A-Za-z0-9]/.test(password)) size += 30
  return Math.max(size, 2)
}
