import { Download, Link as LinkIcon, MessageSquareText } from 'lucide-react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { dayWords } from '../../ui/dayWords.ts'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { lengthWords, moment } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { lookOf, nameOf, sizeWords } from '../files/fileWords.ts'
import { KindTile } from '../files/KindTile.tsx'
import { openedStore } from '../files/openedFiles.ts'
import { saveHeld } from '../files/openFile.ts'
import { Player } from '../files/Player.tsx'
import type { ListedFile, ListedLink } from '../files/sharedPage.ts'
import { notThere } from '../files/useOpened.tsx'
import { Direct, type Shown } from './Direct.tsx'
import { wordsOf } from './shared.ts'

interface Props<Line> {
  line: Line
  room: RoomRow
  onJump: (seq: number) => void
}

/** A document is saved, a sound plays in the chat. */
export const FileLine = ({ line, room, onJump }: Props<ListedFile>) => (
  <Direct line={line} room={room}>
    {(shown) => <OneFile {...shown} room={room} onJump={onJump} />}
  </Direct>
)

function useSave(line: Shown['line']): () => void {
  const env = useEnv()
  return () =>
    void saveHeld(env, line).catch((error: unknown) =>
      showToast({ tone: 'bad', title: notThere(line), text: failureWords(error) }),
    )
}

function OneFile({ line, state, isAway, room, onJump }: Props<ListedFile> & Shown) {
  const { file } = line
  const part = useStore(openedStore, ({ parts }) => parts[file.object])
  const isSound = lookOf(file) === 'audio'
  const name = nameOf(file.name) || wordsOf(file)
  const show = () => onJump(line.seq)
  const save = useSave(line)
  const [act, run] = isAway ? ['Show', show] : isSound ? ['Play in chat', show] : ['Save', save]
  const size = sizeWords(file.sizeBytes)
  return (
    <Line onShow={show} name={name}>
      <button type="button" className="shared-main" onClick={run}>
        <KindTile name={name} />
        <span className="shared-words">
          <b>
            <span className="sr">{act} </span>
            <bdi>{name}</bdi>
          </b>
          {file.caption && (
            <span className="cut" dir="auto">
              {file.caption}
            </span>
          )}
          <small>
            {part === undefined ? size : `${size} · ${Math.round(part * 100)} %`}
            {state && <span>{state}</span>}
            <You line={line} room={room} />
            <When at={line.at} />
          </small>
        </span>
      </button>
      {!isAway && isSound && <IconButton icon={Download} label={`Save ${name}`} isTight onClick={save} />}
    </Line>
  )
}

/** A voice message plays where it is listed. */
export function VoiceLine({ line, room, onJump }: Props<ListedFile>) {
  const name = wordsOf(line.file)
  const save = useSave(line)
  return (
    <Line onShow={() => onJump(line.seq)} name={name}>
      <div className="shared-voice">
        <p className="shared-words">
          <small>
            <span>
              {lengthWords(line.file.voice?.seconds ?? 0)}, <When at={line.at} />
            </span>
            <You line={line} room={room} />
          </small>
        </p>
        <Player held={line} look="voice" isLengthSaid />
      </div>
      <IconButton icon={Download} label={`Save ${name}`} isTight onClick={save} />
    </Line>
  )
}

/** An address that was written in the chat. */
export function LinkLine({ line, room, onJump }: Props<ListedLink>) {
  const { address } = line
  const { host } = new URL(address)
  return (
    <Line onShow={() => onJump(line.seq)} name={host}>
      <a className="shared-main" href={address} target="_blank" rel="noopener noreferrer">
        <span className="shared-thumb">
          <LinkIcon className="i" aria-hidden />
        </span>
        <span className="shared-words">
          <b>
            <bdi>{host}</bdi>
          </b>
          <span className="cut" dir="ltr">
            {address}
          </span>
          <small>
            <You line={line} room={room} />
            <When at={line.at} />
          </small>
        </span>
      </a>
    </Line>
  )
}

function Line({ name, onShow, children }: { name: string; onShow: () => void; children: ReactNode }) {
  return (
    <li>
      {children}
      <IconButton icon={MessageSquareText} label={`Show ${name} in chat`} isTight onClick={onShow} />
    </li>
  )
}

function When({ at }: { at: string }) {
  const now = useNow(60_000)
  const time = new Date(at)
  return (
    <time dateTime={at} title={moment(time)}>
      {dayWords(time, now)}
    </time>
  )
}

const You = ({ line, room }: { line: { senderId: string }; room: RoomRow }) => line.senderId === room.ownId && <span>You</span>
