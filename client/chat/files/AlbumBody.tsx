import { type ComponentType, type ReactNode, useState } from 'react'
import { useStore } from 'zustand'
import type { FileContent } from '../../../contract/chat/content.ts'
import { later } from '../../ui/later.tsx'
import { AlbumCell } from './AlbumCell.tsx'
import { inPlace, type Part, reasonsOf } from './albumParts.ts'
import { uploadsStore } from './uploadsState.ts'
import './files.css'
import './album.css'

const Viewer = later(async () => (await import('./Viewer.tsx')).Viewer)

type Range = readonly [from: number, to: number]
type Words = ComponentType<{ text: string; marks: readonly [number, number][] | undefined }>

/** px: cells shown before the number of the others, width, gap, and heights of two to four, and of the rows from five on. */
const SHOWN = 5
const WIDE = 340
const GAP = 2
const HIGH = [0, 0, 170, 226, 254]
const ROW_OF_TWO = 150
const ROW_OF_THREE = 98

interface Message {
  id: string
  seq: number | null
  isMine: boolean
  status: string | null
  reason: string | null
  isQueued?: boolean
  body: { kind: string; file?: FileContent; text?: string; chatRoomId?: string }
}

interface Props {
  album: Message[]
  /** It has the words of all. */
  message: Pick<Message, 'body'>
  /** Marks in its name, then in its caption. */
  marks: readonly Range[] | undefined
  meta: ReactNode
  /** What the message replies to. */
  above?: ReactNode
  Words: Words
  onRetry: (id: string) => void
  onDelete: (id: string) => void
}

/** Pictures that were sent together, in one frame. What failed or waits does so in its place. */
export function AlbumBody({ album, message, marks, meta, above, Words, onRetry, onDelete }: Props) {
  const uploads = useStore(uploadsStore, (state) => state.uploads)
  const [viewed, setViewed] = useState<Part>()
  const parts: Part[] = album.flatMap(({ body, ...one }) => {
    const { file, chatRoomId } = body
    if (!file || chatRoomId === undefined) return []
    const upload = one.isMine ? uploads.find(({ id }) => id === one.id) : undefined
    return [{ ...one, held: { file, chatRoomId }, upload }]
  })
  const isWhole = parts.length <= SHOWN || parts.slice(SHOWN).some(inPlace)
  const shown = isWhole ? parts : parts.slice(0, SHOWN)
  const { text = '', file } = message.body
  const before = file?.name ? file.name.length + 1 : 0
  const inText = marks?.filter(([from]) => from >= before).map(([from, to]): [number, number] => [from - before, to - before])
  const rows = shown.length > 4 ? [ROW_OF_TWO, ...Array(Math.ceil((shown.length - 2) / 3)).fill(ROW_OF_THREE)] : []
  const high = HIGH[shown.length] ?? rows.reduce((sum, row) => sum + row + GAP, -GAP)
  const reasons = reasonsOf(parts)
  return (
    <div className="bub file att album">
      {above}
      <div
        className={`album-cells of-${Math.min(shown.length, SHOWN)}`}
        style={{
          aspectRatio: `${WIDE} / ${high}`,
          ...(rows.length > 0 && { gridTemplateRows: rows.map((row) => `${row}fr`).join(' ') }),
        }}
      >
        {shown.map((part, at) => (
          <AlbumCell
            key={part.id}
            part={part}
            more={at === shown.length - 1 ? parts.length - shown.length : 0}
            {...{ onRetry, onDelete }}
            onOpen={() => setViewed(part)}
          />
        ))}
      </div>
      {reasons.map(({ words, isBad }) => (
        <span key={words} className={isBad ? 'att-upload fail' : 'att-upload'} role={isBad ? 'alert' : 'status'}>
          {words}
        </span>
      ))}
      <p dir="auto" className={text || reasons.length > 0 ? undefined : 'over'}>
        <Words text={text} marks={inText} />
        {meta}
      </p>
      {viewed && <Viewer held={viewed.held} seq={viewed.seq} onClose={() => setViewed(undefined)} />}
    </div>
  )
}
