import { Download, FileText, Image as ImageIcon, Link as LinkIcon, MessageSquareText, Mic, Music, Video } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useStore } from 'zustand'
import type { TransferContent } from '../../../contract/chat/content.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { BESIDE, closeDetails } from '../../rooms/trust/details.ts'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { lengthWords, moment, relativeTime } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'
import { type Look, lookOf, nameOf, sizeWords } from '../files/fileWords.ts'
import { type Held, openedStore } from '../files/openedFiles.ts'
import { saveHeld } from '../files/openFile.ts'
import type { ListedFile, ListedLink } from '../files/sharedPage.ts'
import { thumbnailUrl } from '../files/thumbnail.ts'
import { notThere } from '../files/useOpened.tsx'
import { jumpToMessage } from '../messages/messages.ts'
import { heldTransfer } from '../transferline/heldTransfer.ts'
import { Named } from '../transferline/Named.tsx'
import { stageWords, UNKNOWN } from '../transferline/stageWords.ts'
import { useOtherName, useTransfer } from '../transferline/useTransfer.tsx'
import { wordsOf } from './shared.ts'

interface Props<Line> {
  line: Line
  room: RoomRow
  /** The dialog goes, because the chat is shown. */
  onLeave: () => void
}

const ICONS: Record<Look, typeof Video> = { picture: ImageIcon, video: Video, voice: Mic, audio: Music, document: FileText }

interface FileProps extends Props<ListedFile> {
  onView?: (line: ListedFile & Held) => void
}

/** A file that was shared. A picture opens, what plays is played in the chat, and a document is saved. */
export const FileLine = (file: FileProps) =>
  file.line.transfer ? <DirectLine {...file} transfer={file.line.transfer} /> : <OneFile {...file} />

/** One that goes or went from browser to browser opens where it is. */
function DirectLine({ transfer: content, line, ...file }: FileProps & { transfer: TransferContent }) {
  const { chatRoomId, senderId, at } = line
  const isMine = senderId === file.room.ownId
  const known = useTransfer({ content, chatRoomId, isMine, at })
  const name = useOtherName(chatRoomId)
  const isAway = known?.stage !== 'done' || !known.isHere || isMine
  const state = known ? <Named words={(placed) => stageWords(known, placed)} name={name} /> : UNKNOWN
  const { read } = heldTransfer({ chatRoomId, content })
  return <OneFile {...file} line={{ ...line, ...(read && { read }) }} state={state} isAway={isAway} />
}

interface OneProps extends FileProps {
  line: ListedFile & Held
  state?: ReactNode
  /** It cannot be opened here. */
  isAway?: boolean
}

function OneFile({ line, onView, state, isAway = false, ...at }: OneProps) {
  const env = useEnv()
  const { file } = line
  const part = useStore(openedStore, ({ parts }) => parts[file.object])
  const look = lookOf(file)
  const name = look === 'voice' ? wordsOf(file) : nameOf(file.name) || wordsOf(file)
  const show = useJump(line, at)
  async function save() {
    await saveHeld(env, line).catch((error: unknown) =>
      showToast({ tone: 'bad', title: notThere(line), text: failureWords(error) }),
    )
  }
  const acts: Record<Look, [words: string, () => void]> = {
    picture: ['Open', () => (onView ? onView(line) : show())],
    ...{ video: ['Play in chat', show], voice: ['Play in chat', show], audio: ['Play in chat', show] },
    document: ['Save', () => void save()],
  }
  const [act, run]: [string, () => void] = isAway ? ['Show', show] : acts[look]
  const size = file.voice ? lengthWords(file.voice.seconds) : sizeWords(file.sizeBytes)
  return (
    <Line line={line} onShow={show} name={name}>
      <button type="button" className="shared-main" onClick={run}>
        <Thumbnail file={file} look={look} />
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
            <When {...line} room={at.room} />
          </small>
        </span>
      </button>
      {!isAway && look !== 'document' && (
        <IconButton icon={Download} label={`Save ${name}`} isTight onClick={() => void save()} />
      )}
    </Line>
  )
}

function Thumbnail({ file, look }: { file: ListedFile['file']; look: Look }) {
  const url = thumbnailUrl(file.picture)
  if (url) return <img className="shared-thumb" src={url} alt="" />
  const Icon = ICONS[look]
  return (
    <span className="shared-thumb">
      <Icon className="i" aria-hidden />
    </span>
  )
}

/** An address that was written in the chat. */
export function LinkLine({ line, ...at }: Props<ListedLink>) {
  const { address } = line
  const { host } = new URL(address)
  const show = useJump(line, at)
  return (
    <Line line={line} onShow={show} name={host}>
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
            <When {...line} room={at.room} />
          </small>
        </span>
      </a>
    </Line>
  )
}

function Line({ name, onShow, children }: { line: { seq: number }; name: string; onShow: () => void; children: ReactNode }) {
  return (
    <li>
      {children}
      <IconButton icon={MessageSquareText} label={`Show ${name} in chat`} isTight onClick={onShow} />
    </li>
  )
}

function When({ at, senderId, room }: { at: string; senderId: string; room: RoomRow }) {
  const now = useNow(60_000)
  const time = new Date(at)
  return (
    <>
      {senderId === room.ownId && <span>You</span>}
      <time dateTime={at} title={moment(time)}>
        {relativeTime(time, now)}
      </time>
    </>
  )
}

/** Leads to the message: its chat is shown there, and what lies over it goes. */
function useJump({ seq }: { seq: number }, { room, onLeave }: { room: RoomRow; onLeave: () => void }): () => void {
  const env = useEnv()
  const [, navigate] = useLocation()
  return () => {
    onLeave()
    if (!matchMedia(BESIDE).matches) closeDetails()
    navigate(`/chat/${room.id}`)
    jumpToMessage(env, room, seq).catch((error: unknown) =>
      showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) }),
    )
  }
}
