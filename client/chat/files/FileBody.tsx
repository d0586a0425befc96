import type { ComponentType, ReactNode } from 'react'
import { useStore } from 'zustand'
import type { Env } from '../../env.ts'
import { useEnv } from '../../ui/env.tsx'
import { later } from '../../ui/later.tsx'
import { DocumentBody } from './DocumentBody.tsx'
import { lookOf } from './fileWords.ts'
import type { Held } from './openedFiles.ts'
import { PictureBody } from './PictureBody.tsx'
import { UploadStrip } from './UploadStrip.tsx'
import { uploadsStore } from './uploadsState.ts'
import { VideoBody } from './VideoBody.tsx'
import './files.css'

const Player = later(async () => (await import('./Player.tsx')).Player)

type Range = readonly [from: number, to: number]

interface Props {
  body: Held & { text: string }
  message: { id: string; seq: number | null; isMine: boolean; listened?: string }
  /** Marks in the name, then in the caption. */
  marks: readonly Range[] | undefined
  meta: ReactNode
  /** What the message replies to. */
  above?: ReactNode
  /** A voice message began to play. */
  onListened?: (env: Env, isFollower: boolean) => void
  Words: ComponentType<{ text: string; marks: readonly [number, number][] | undefined }>
}

export function FileBody({ body, message, marks, meta, above, onListened, Words }: Props) {
  const { id, seq, isMine, listened } = message
  const env = useEnv()
  const upload = useStore(uploadsStore, ({ uploads }) => (isMine ? uploads.find((one) => one.id === id) : undefined))
  const look = lookOf(body.file)
  const isOut = upload !== undefined || body.file.object === ''
  const isBare = !body.text && !upload && (look === 'picture' || look === 'video')
  const before = body.file.name ? body.file.name.length + 1 : 0
  const inCaption = marks?.filter(([from]) => from >= before).map(([from, to]): [number, number] => [from - before, to - before])
  return (
    <div className={`bub file att ${look}`}>
      {above}
      {look === 'picture' && <PictureBody held={body} seq={seq} isOut={isOut} />}
      {look === 'document' && <DocumentBody held={body} isOut={isOut} />}
      {look !== 'picture' && look !== 'document' && !isOut && (
        <Player
          held={body}
          look={look}
          isInChat
          isListened={listened !== undefined}
          onListened={(isFollower) => onListened?.(env, isFollower)}
        />
      )}
      {isOut && look === 'video' && <VideoBody held={body} isOut />}
      {isOut && (look === 'voice' || look === 'audio') && <DocumentBody held={body} isOut />}
      {upload && <UploadStrip upload={upload} />}
      <p dir="auto" className={isBare ? 'over' : undefined}>
        <Words text={body.text} marks={inCaption} />
        {meta}
      </p>
    </div>
  )
}
