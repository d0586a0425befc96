import { useState } from 'react'
import type { Range } from '../../ui/textPieces.ts'
import { foldOf, isBehind } from './foldText.ts'
import { Words } from './Words.tsx'

interface Props {
  text: string
  marks?: readonly Range[] | undefined
}

/** The words of a message. A text of thousands of lines shows its beginning and a button. */
export function Folded({ text, marks }: Props) {
  const [isOpen, setOpen] = useState(false)
  const fold = foldOf(text)
  if (!fold) return <Words text={text} marks={marks} />
  const isFound = isBehind(fold.end, marks)
  const isShown = isOpen || isFound
  return (
    <>
      <Words text={isShown ? text : `${text.slice(0, fold.end)}…`} marks={marks} />
      {!isFound && (
        <button type="button" className="linkish fold" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
          {isShown ? 'Show less' : `Show all (${foldWords(text, fold.lines)})`}
        </button>
      )}
    </>
  )
}

const counted = new Intl.NumberFormat('en-US')

function foldWords({ length }: string, lines: number): string {
  return lines > 1 ? `${counted.format(lines)} lines` : `${counted.format(length)} characters`
}
