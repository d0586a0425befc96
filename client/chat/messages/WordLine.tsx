import { Fragment, type ReactNode } from 'react'
import { type Piece, piecesOf, type Range } from '../../ui/textPieces.ts'

export interface WordsProps {
  text: string
  marks?: readonly Range[] | undefined
}

/** A line of words with their formatting [docs/formatting.md], made of nodes: no text becomes HTML. */
export const WordLine = ({ text, marks }: WordsProps) => piecesOf(text, marks).map(drawn)

const TAGS = { bold: 'b', italic: 'i', strike: 's' } as const

function drawn({ kind, at, text, href, styles, isMarked }: Piece): ReactNode {
  let words: ReactNode = isMarked ? <mark>{text}</mark> : text
  for (const style of styles) {
    const Style = TAGS[style]
    words = <Style>{words}</Style>
  }
  if (href?.startsWith('mailto:'))
    return (
      <a key={at} href={href} rel="noopener noreferrer">
        {words}
      </a>
    )
  if (href)
    return (
      <a key={at} href={href} target="_blank" rel="noopener noreferrer">
        {words}
      </a>
    )
  if (kind === 'text') return <Fragment key={at}>{words}</Fragment>
  return (
    <code key={at} className={kind === 'block' ? 'block' : undefined}>
      {words}
    </code>
  )
}
