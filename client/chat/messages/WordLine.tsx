import { Fragment, type ReactNode, use } from 'react'
import { type Piece, piecesOf, type Range } from '../../ui/textPieces.ts'
import { MentionedContext } from '../mentions/mentionedContext.tsx'
import type { MentionedPeople } from '../mentions/mentionedPeople.ts'

export interface WordsProps {
  text: string
  marks?: readonly Range[] | undefined
}

/** A line of words with their formatting [docs/formatting.md], made of nodes: no text becomes HTML. */
export function WordLine({ text, marks }: WordsProps) {
  const people = use(MentionedContext)
  return piecesOf(text, marks, people).map((piece) => drawn(piece, people))
}

const TAGS = { bold: 'b', italic: 'i', strike: 's' } as const

function drawn({ kind, at, text, href, styles, isMarked }: Piece, people: MentionedPeople): ReactNode {
  const mentioned = kind === 'mention' ? people.get(text.slice(1).toLowerCase()) : undefined
  const shown = mentioned ? `@${mentioned.name}` : text
  let words: ReactNode = isMarked ? <mark>{shown}</mark> : shown
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
  if (mentioned)
    return (
      <bdi key={at} className={mentioned.isOwn ? 'mention own' : 'mention'}>
        {words}
      </bdi>
    )
  if (kind === 'text') return <Fragment key={at}>{words}</Fragment>
  return (
    <code key={at} className={kind === 'block' ? 'block' : undefined}>
      {words}
    </code>
  )
}
