import data from 'emojibase-data/en/compact.json'
import codes from 'emojibase-data/en/shortcodes/github.json'

export interface Emoji {
  text: string
  name: string
  /** Without colons. */
  code: string
  /** Five, light first, or none. */
  tones: string[]
}

interface Found extends Emoji {
  codes: string[]
  /** What it is found by, in lower case. */
  words: string[]
}

export interface EmojiGroup {
  title: string
  emojis: Emoji[]
}

// The data's group 2 has parts of emojis.
const GROUPS: [title: string, group: number][] = [
  ['Faces', 0],
  ['People', 1],
  ['Nature', 3],
  ['Food', 4],
  ['Travel', 5],
  ['Activities', 6],
  ['Objects', 7],
  ['Symbols', 8],
  ['Flags', 9],
]
const TONES = 5

const codesOf = (hexcode: string, label: string): string[] =>
  [codes[hexcode] ?? label.toLowerCase().replace(/[^a-z0-9]+/g, '_')].flat()

/** The data says of each emoji that it is one; a keyboard says so only where it could be text. */
const plain = (text: string): string => (/^\p{Emoji_Presentation}\uFE0F$/u.test(text) ? text.slice(0, -1) : text)

const all: (Found & { group: number })[] = data
  .filter(({ group }) => GROUPS.some(([, known]) => known === group))
  .map(({ unicode, label, hexcode, tags = [], skins = [], group = 0 }) => {
    const named = codesOf(hexcode, label)
    const [code = ''] = named
    return {
      ...{ text: plain(unicode), name: label, code, group },
      // More are of two people with a tone each.
      tones: skins.slice(0, TONES).map((skin) => skin.unicode),
      codes: named,
      words: [
        ...label.toLowerCase().split(/[^a-z0-9]+/),
        ...named.flatMap((one) => [one, ...one.split('_')]),
        ...tags.map((tag) => tag.toLowerCase()),
      ],
    }
  })

export const EMOJIS: EmojiGroup[] = GROUPS.map(([title, group]) => ({
  title,
  emojis: all.filter((emoji) => emoji.group === group),
}))

const byText = new Map(all.flatMap((emoji) => [emoji.text, ...emoji.tones].map((text) => [text, emoji] as const)))

export const emojiOf = (text: string): Emoji | undefined => byText.get(text)

/** Returns what every word of the query begins a word of: best first, by code, then by name, then by anything. */
export function findEmojis(query: string, atMost: number): Emoji[] {
  const asked = query
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  if (asked.length === 0) return []
  const whole = asked.join('_')
  const rank = ({ codes: named, name, words }: Found): number => {
    if (!asked.every((word) => words.some((known) => known.startsWith(word)))) return 0
    if (named.includes(whole)) return 4
    if (named.some((code) => code.startsWith(whole))) return 3
    return name.toLowerCase().startsWith(asked.join(' ')) ? 2 : 1
  }
  const ranked = all.map((emoji) => ({ emoji, rank: rank(emoji) })).filter((one) => one.rank > 0)
  return ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, atMost)
    .map(({ emoji }) => emoji)
}
