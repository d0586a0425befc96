/** Ranges in the original, by UTF-16 unit. */
export interface Places {
  from: number[]
  to: number[]
}

/** `alone`: a word by itself, such as an emoji. `mark`: part of the preceding character. */
type Kind = 'word' | 'alone' | 'mark' | 'none' | 'gap'
type Sign = [sign: string, kind: Kind]

const QUERY_MAX = 200
const REMEMBERED_MAX = 10_000

const ZERO_WIDTH_SPACE = '\u200b'
const UNSEEN = /[\p{Cf}\u0640]/u
/** The voicing marks of kana and Indic vowels are no accents. */
const ACCENT = /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\u0591-\u05c7]/u
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
/** Letters that Unicode does not decompose. */
const LETTERS = new Map(
  'ß:ss æ:ae œ:oe ø:o ł:l đ:d ð:d þ:th ħ:h ŧ:t ŋ:n ı:i ς:σ ی:ي ى:ي ک:ك'.split(' ').map((pair) => {
    const [letter = '', plain = ''] = pair.split(':')
    return [letter, plain]
  }),
)
const APOSTROPHE = /['\u2019\u02bc]/u
/** "don't" is one word, "l'amour" is two. */
const CONTRACTED = /^(?:t|s|m|d|ll|re|ve)(?![\p{L}\p{N}])/iu

const remembered = new Map<string, Sign[]>()

/**
 * Folds a text into lower-case words without accents, each after one space: " wor" matches beginnings, "wor" any part. Fills
 * `places`.
 */
export function fold(text: string, places?: Places): string {
  let folded = ''
  let last: 'gap' | 'word' | 'alone' = 'gap'
  let at = 0
  for (const character of text) {
    const next = at + character.length
    const isInside: boolean = last === 'word' && APOSTROPHE.test(character) && CONTRACTED.test(text.slice(next, next + 3))
    for (const [sign, kind] of isInside ? [] : signsOf(character)) {
      if (kind === 'gap') last = 'gap'
      if (kind === 'none' && last !== 'gap' && places) places.to[places.to.length - 1] = next
      if (kind === 'gap' || kind === 'none') continue
      const isContinued = kind === 'word' ? last === 'word' : kind === 'mark' && last !== 'gap'
      const added = isContinued ? sign : ` ${sign}`
      folded += added
      if (kind !== 'mark' || last === 'gap') last = kind === 'alone' ? 'alone' : 'word'
      for (let unit = 0; unit < added.length; unit++) {
        places?.from.push(at)
        places?.to.push(next)
      }
    }
    at = next
  }
  return folded
}

/**
 * Returns the query's folded words, longest first. A letter or several words ("e-mail") match only at a word's beginning: else
 * "e-mail" would match "the mail".
 */
export function needlesOf(query: string): string[] {
  const words = query.slice(0, QUERY_MAX).split(/\s+/u)
  const needles = new Set(words.flatMap((word) => fold(word) || []).map((word) => (isAnchored(word) ? word : word.slice(1))))
  return [...needles].sort((a, b) => b.length - a.length)
}

const isAnchored = (folded: string): boolean => folded.length <= 2 || folded.includes(' ', 1)

function signsOf(character: string): Sign[] {
  const known = remembered.get(character)
  if (known) return known
  const signs = [...character.normalize('NFKD')].flatMap((part) => [...plain(part)]).map((sign): Sign => [sign, kindOf(sign)])
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(character, signs)
  return signs
}

function plain(part: string): string {
  const lower = part.toLowerCase()
  return LETTERS.get(lower) ?? lower
}

function kindOf(sign: string): Kind {
  if (sign === ZERO_WIDTH_SPACE) return 'gap'
  if (UNSEEN.test(sign) || ACCENT.test(sign)) return 'none'
  if (/\p{M}/u.test(sign)) return 'mark'
  if (/[\p{L}\p{N}]/u.test(sign)) return UNSPACED.test(sign) ? 'alone' : 'word'
  return /\p{S}/u.test(sign) ? 'alone' : 'gap'
}
