import { HardDrive } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { faceOf } from '../../rooms/list/members.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
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

export function Storage() {
  const env = useEnv()
  const [kept, setKept] = useState<Kept>()
  const [failure, setFailure] = useState<string | null>(null)
  const [isClearing, setClearing] = useState(false)
  const locks = useStore(roomsStore, ({ rooms }) => [...rooms.values()].map(({ id, lock }) => `${id} ${lock}`).join())
  const read = useCallback(async () => {
    setFailure(null)
    await readKept(env).then(setKept, (error: unknown) => setFailure(failureWords(error)))
  }, [env])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chat that was locked or opened meanwhile
  useEffect(() => void read(), [read, locks])

  async function clear(chatRoomIds: string[], bytes: number) {
    const giveBack = noteFocus()
    setClearing(true)
    try {
      await clearKept(env, chatRoomIds)
      showToast({ tone: 'good', title: 'Cleared', text: `${bytesWords(bytes)}. Files are fetched again when you open them.` })
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
      <Chats kept={kept} isClearing={isClearing} onClear={(ids, bytes) => void clear(ids, bytes)} />
    </>
  )
}

function Sizes({ kept }: { kept: Kept }) {
  const files = clearableBytes(kept)
  const { kinds, locked, left, waitingBytes, totalBytes = 0, isOnDisk } = kept
  const rest = totalBytes - (isOnDisk ? files + waitingBytes : 0)
  const rows: [string, number][] = [
    ...(Object.keys(KINDS) as Kind[]).map((kind): [string, number] => [KINDS[kind], kinds[kind]]),
    ['Files of locked chats', locked.bytes],
    ['Files of chats that have left the list', left.bytes],
    ['Waiting to be sent', waitingBytes],
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
            <dd>{bytesWords(files + waitingBytes + rest)}</dd>
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
  const { chats, locked, left, waitingBytes, isOnDisk } = kept
  const files = clearableBytes(kept)
  const all = [...chats.map(({ chatRoomId }) => chatRoomId), ...locked.chatRoomIds, ...left.chatRoomIds]
  return (
    <Part
      title="Files by chat"
      text={
        isOnDisk
          ? 'Opened and sent files stay here, so that they open at once and without a connection. They stay on the server too.'
          : 'This browser keeps no files for Conclave: opened and sent ones are in memory until this page is closed. They stay on the server.'
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
      {waitingBytes > 0 && <p className="small t2">What waits to be sent stays.</p>}
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
