import { codeIn } from './codeInText.ts'
import { emphasisIn, type Style } from './emphasis.ts'
import { type TextPart, textParts } from './links.ts'

/** UTF-16 units. */
export type Range = [from: number, to: number]

export interface Piece {
  kind: 'text' | 'link' | 'mention' | 'code' | 'block'
  at: number
  text: string
  href?: string
  styles: readonly Style[]
  isMarked: boolean
}

const PLAIN: readonly Style[] = []

/** The usernames, in lower case, that a text can mention. */
type Names = Pick<ReadonlySet<string>, 'has'>

/** Cuts a text into words, links, mentions and code, and at marks of a search; only the marks of formatting are left out. */
export function piecesOf(text: string, marks: readonly Range[] = [], names?: Names): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const { from, to, at: begin, code, isBlock } of codeIn(text)) {
    addWords(pieces, text.slice(at, from), at, names)
    pieces.push({ kind: isBlock ? 'block' : 'code', at: begin, text: code, styles: PLAIN, isMarked: false })
    at = to
  }
  addWords(pieces, text.slice(at), at, names)
  return marks.length === 0 ? pieces : pieces.flatMap((piece) => cutAt(piece, marks))
}

/** Adds the words, links and mentions of a text without code, which begins at `begin`. */
function addWords(pieces: Piece[], text: string, begin: number, names: Names | undefined): void {
  let place = 0
  const parts = withMentions(textParts(text), names).map((part) => {
    place += part.text.length
    return { ...part, from: place - part.text.length, to: place }
  })
  const emphases = emphasisIn(
    text,
    parts.flatMap(({ href, isMention, from, to }) => (href || isMention ? [[from, to] as const] : [])),
  )
  const signs = emphases.flatMap((one) => [
    { ...one, at: one.from, isBegin: true },
    { ...one, at: one.to, isBegin: false },
  ])
  signs.sort((a, b) => a.at - b.at)
  let styles = PLAIN
  const add = (from: number, to: number, { href, isMention }: Part) => {
    if (to <= from) return
    const words = { at: begin + from, text: text.slice(from, to), styles, isMarked: false }
    pieces.push(href ? { kind: 'link', href, ...words } : { kind: isMention ? 'mention' : 'text', ...words })
  }
  let next = 0
  for (const part of parts) {
    const { from, to } = part
    let at = from
    for (let sign = signs[next]; sign && sign.at < to; sign = signs[++next]) {
      add(at, sign.at, part)
      const { style, isBegin, width } = sign
      styles = isBegin ? [...styles, style] : styles.toSpliced(styles.lastIndexOf(style), 1)
      at = sign.at + width
    }
    add(at, to, part)
  }
}

type Part = TextPart & { isMention?: boolean }

const MENTION = /(?<![\p{L}\p{N}_@./-])@(\w{3,30})(?![\p{L}\p{N}_@/-]|\.[\p{L}\p{N}])/gu

const withMentions = (parts: TextPart[], names: Names | undefined): Part[] =>
  names ? parts.flatMap((part) => (part.href || !part.text.includes('@') ? [part] : mentionsIn(part.text, names))) : parts

function mentionsIn(text: string, names: Names): Part[] {
  const parts: Part[] = []
  let at = 0
  for (const { 0: words, 1: name = '', index } of text.matchAll(MENTION)) {
    if (!names.has(name.toLowerCase())) continue
    parts.push({ text: text.slice(at, index) }, { text: words, isMention: true })
    at = index + words.length
  }
  return [...parts, { text: text.slice(at) }]
}

/** A text for a line of a list: what is formatted stands there without its marks. */
export const withoutMarks = (text: string): string =>
  piecesOf(text)
    .map(({ kind, text: words }, at, { length }) => (kind === 'block' && at < length - 1 ? `${words}\n` : words))
    .join('')

function cutAt(piece: Piece, marks: readonly Range[]): Piece[] {
  const end = piece.at + piece.text.length
  // It is shown by its name.
  if (piece.kind === 'mention') return [{ ...piece, isMarked: marks.some(([first, last]) => first < end && last > piece.at) }]
  const edges = marks.flat().filter((edge) => edge > piece.at && edge < end)
  const starts = [...new Set([piece.at, ...edges])].sort((a, b) => a - b)
  return starts.map((from, index) => {
    const to = starts[index + 1] ?? end
    const isMarked = marks.some(([first, last]) => from >= first && to <= last)
    return { ...piece, at: from, text: piece.text.slice(from - piece.at, to - piece.at), isMarked }
  })
}

const EMOJI_MAX = 3
/** Emoji by default, by a selector, as a flag or as a key. */
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)|[\d#*]\ufe0f\u20e3)/u
const signs = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function isEmojiOnly(text: string): boolean {
  if (text.length > 60) return false
  const all = [...signs.segment(text.replace(/\s/gu, ''))]
  return all.length > 0 && all.length <= EMOJI_MAX && all.every(({ segment }) => EMOJI.test(segment))
}
