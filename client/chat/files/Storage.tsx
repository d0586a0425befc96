import { HardDrive } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { faceOf } from '../../rooms/list/members.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { bytesWords } from '../../ui/bytes.ts'
import { Empty } from '../../ui/Empty.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { NotRead } from '../../ui/NotRead.tsx'
import { noteFocus } from '../../ui/opener.ts'
import { Part } from '../../ui/Part.tsx'
import { showToast } from '../../ui/toast.ts'
import { clearableBytes, clearKept, type Kept, type Kind, readKept } from './keptFiles.ts'
import './keptFiles.css'

const KINDS: Record<Kind, string> = {
  picture: 'Photos',
  video: 'Videos',
  sound: 'Voice messages and sounds',
  document: 'Documents',
  other: 'Other files',
}

const EMPTY = 'Those that you open or send stay in this browser.'
const EMPTY_IN_MEMORY = 'Those that you open or send are in memory until this page is closed.'

const CLEARED = 'Files are fetched again when you open them.'
const CLEARED_FOR_GOOD = 'What came directly is deleted. Other files are fetched again when you open them.'

export function Storage() {
  const env = useEnv()
  const [kept, setKept] = useState<Kept>()
  const [failure, setFailure] = useState<string | null>(null)
  const [isClearing, setClearing] = useState(false)
  const [asked, setAsked] = useState<{ chatRoomIds: string[]; bytes: number; lost: number }>()
  const locks = useStore(roomsStore, ({ rooms }) => [...rooms.values()].map(({ id, lock }) => `${id} ${lock}`).join())
  const read = useCallback(async () => {
    setFailure(null)
    await readKept(env).then(setKept, (error: unknown) => setFailure(failureWords(error)))
  }, [env])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chat that was locked or opened meanwhile
  useEffect(() => void read(), [read, locks])

  /** What no server has goes by a decision of its own. */
  function ask(chatRoomIds: string[], bytes: number) {
    const lost = kept?.direct.received.filter(({ chatRoomId }) => chatRoomIds.includes(chatRoomId)) ?? []
    const files = lost.reduce((sum, one) => sum + one.files, 0)
    if (files > 0) setAsked({ chatRoomIds, bytes, lost: files })
    else void clear(chatRoomIds, bytes, CLEARED)
  }

  async function clear(chatRoomIds: string[], bytes: number, words: string) {
    const giveBack = noteFocus()
    setClearing(true)
    try {
      await clearKept(env, chatRoomIds)
      showToast({ tone: 'good', title: 'Cleared', text: `${bytesWords(bytes)}. ${words}` })
    } catch (error) {
      showToast({ tone: 'bad', title: 'The files could not be cleared', text: failureWords(error) })
    }
    await read()
    setClearing(false)
    // The pressed button may be gone with its row.
    requestAnimationFrame(giveBack)
  }

  if (!kept) return <NotRead words="What this browser keeps could not be read." failure={failure} onRetry={() => void read()} />
  return (
    <>
      <Sizes kept={kept} />
      <Chats kept={kept} isClearing={isClearing} onClear={ask} />
      {asked && (
        <AlertDialog
          title={`Delete ${filesWords(asked.lost)} for good?`}
          text="What came directly from a browser is here alone: no server has it, and it cannot be fetched again. Save it first."
          action="Delete and clear"
          pendingAction="Clearing..."
          isPending={isClearing}
          onConfirm={() => {
            setAsked(undefined)
            void clear(asked.chatRoomIds, asked.bytes, CLEARED_FOR_GOOD)
          }}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

const filesWords = (count: number) => (count === 1 ? '1 file' : `${count} files`)

function Sizes({ kept }: { kept: Kept }) {
  const files = clearableBytes(kept)
  const { kinds, locked, left, totalBytes = 0, isOnDisk, waitingBytes } = kept
  const { offered, arriving } = kept.direct
  const stays = waitingBytes + offered.bytes + arriving.bytes
  const rest = totalBytes - (isOnDisk ? files + stays : 0)
  const rows: [string, number][] = [
    ...(Object.keys(KINDS) as Kind[]).map((kind): [string, number] => [KINDS[kind], kinds[kind]]),
    ['Files of locked chats', locked.bytes],
    ['Files of chats that have left the list', left.bytes],
    ['Waiting to be sent', waitingBytes],
    [`Offered directly, ${filesWords(offered.files)}`, offered.bytes],
    [`Received in part, ${filesWords(arriving.files)}`, arriving.bytes],
    ['Messages, search, keys and the app', rest],
  ]
  return (
    <Part title="In this browser" text="All of it is sealed, apart from the app itself.">
      <dl className="storage-sizes">
        {rows
          .filter(([, bytes]) => bytes > 0)
          .map(([words, bytes]) => (
            <div key={words}>
              <dt>{words}</dt>
              <dd>{bytesWords(bytes)}</dd>
            </div>
          ))}
        {rest > 0 && (
          <div className="sum">
            <dt>Together</dt>
            <dd>{bytesWords(files + stays + rest)}</dd>
          </div>
        )}
      </dl>
      {rest <= 0 && <p className="small t2">This browser does not say how much messages, search, keys and the app take.</p>}
    </Part>
  )
}

interface ChatsProps {
  kept: Kept
  isClearing: boolean
  onClear: (chatRoomIds: string[], bytes: number) => void
}

function Chats({ kept, isClearing, onClear }: ChatsProps) {
  const { chats, locked, left, waitingBytes, direct, isOnDisk } = kept
  const files = clearableBytes(kept)
  const all = [...chats.map(({ chatRoomId }) => chatRoomId), ...locked.chatRoomIds, ...left.chatRoomIds]
  return (
    <Part
      title="Files by chat"
      text={
        isOnDisk
          ? 'Opened and sent files stay here, so that they open at once and without a connection. They stay on the server too, but what came directly from a browser is here alone.'
          : 'This browser keeps no files for Conclave: opened and sent ones are in memory until this page is closed. They stay on the server, but what came directly from a browser is here alone.'
      }
    >
      {files === 0 ? (
        <Empty icon={HardDrive} title="No files are kept" text={isOnDisk ? EMPTY : EMPTY_IN_MEMORY} />
      ) : (
        <ul className="lines storage-chats">
          {chats.map(({ chatRoomId, bytes }) => (
            <Chat key={chatRoomId} {...{ chatRoomId, bytes, isClearing }} onClear={() => onClear([chatRoomId], bytes)} />
          ))}
          {[
            { words: 'Locked chats', ...locked },
            { words: 'Chats that have left the list', ...left },
          ].map(
            ({ words, chatRoomIds, bytes }) =>
              bytes > 0 && <Line key={words} {...{ words, bytes, isClearing }} onClear={() => onClear(chatRoomIds, bytes)} />,
          )}
        </ul>
      )}
      {files > 0 && (
        <div className="acts storage-all">
          <button type="button" className="btn outline" disabled={isClearing} onClick={() => onClear(all, files)}>
            {isClearing ? 'Clearing...' : `Clear all ${bytesWords(files)}`}
          </button>
        </div>
      )}
      {waitingBytes + direct.offered.bytes + direct.arriving.bytes > 0 && (
        <p className="small t2">What waits to be sent or received stays.</p>
      )}
    </Part>
  )
}

function Chat({ chatRoomId, ...line }: Omit<LineProps, 'words'> & { chatRoomId: string }) {
  const name = useStore(peopleStore, ({ people }) => {
    const room = roomsStore.getState().rooms.get(chatRoomId)
    return (room && faceOf(room, people)?.name) ?? 'A chat'
  })
  return <Line words={name} {...line} />
}

interface LineProps {
  words: string
  bytes: number
  isClearing: boolean
  onClear: () => void
}

function Line({ words, bytes, isClearing, onClear }: LineProps) {
  return (
    <li>
      <HardDrive className="i" aria-hidden />
      <div>
        <b>
          <bdi>{words}</bdi>
        </b>
        <p>{bytesWords(bytes)}</p>
      </div>
      <div className="acts">
        <button
          type="button"
          className="btn compact outline"
          aria-label={`Clear the files of ${words}`}
          disabled={isClearing}
          onClick={onClear}
        >
          Clear
        </button>
      </div>
    </li>
  )
}
