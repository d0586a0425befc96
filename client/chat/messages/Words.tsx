import { Fragment } from 'react'
import { piecesOf, type Range } from './textPieces.ts'

export function Words({ text, marks }: { text: string; marks?: readonly Range[] | undefined }) {
  return piecesOf(text, marks).map((piece) => {
    const words = piece.isMarked ? <mark>{piece.text}</mark> : piece.text
    if (piece.href?.startsWith('mailto:'))
      return (
        <a key={piece.at} href={piece.href} rel="noopener noreferrer">
          {words}
        </a>
      )
    if (piece.href)
      return (
        <a key={piece.at} href={piece.href} target="_blank" rel="noopener noreferrer">
          {words}
        </a>
      )
    if (piece.kind === 'text') return <Fragment key={piece.at}>{words}</Fragment>
    return (
      <code key={piece.at} className={piece.kind === 'block' ? 'block' : undefined}>
        {words}
      </code>
    )
  })
}
