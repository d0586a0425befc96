import { codeIn } from '../../ui/codeInText.ts'
import { textParts } from '../../ui/links.ts'

/** UTF-16 units. */
export type Range = [from: number, to: number]

export interface Piece {
  kind: 'text' | 'link' | 'code' | 'block'
  at: number
  text: string
  href?: string
  isMarked: boolean
}

/** Cuts a text into words, links and code, and at marks; only backticks are left out. */
export function piecesOf(text: string, marks: readonly Range[] = []): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const plain = (to: number) => {
    let place = at
    for (const { text: part, href } of textParts(text.slice(at, to))) {
      pieces.push({ kind: href ? 'link' : 'text', at: place, text: part, ...(href && { href }), isMarked: false })
      place += part.length
    }
  }
  for (const { from, to, at: begin, code, isBlock } of codeIn(text)) {
    plain(from)
    pieces.push({ kind: isBlock ? 'block' : 'code', at: begin, text: code, isMarked: false })
    at = to
  }
  plain(text.length)
  return marks.length === 0 ? pieces : pieces.flatMap((piece) => cutAt(piece, marks))
}

function cutAt(piece: Piece, marks: readonly Range[]): Piece[] {
  const end = piece.at + piece.text.length
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
