import { HardDrive } from 'lucide-react'
import { useStore } from 'zustand'
import { faceOf } from '../../rooms/list/members.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import { bytesWords } from '../../ui/bytes.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Part } from '../../ui/Part.tsx'
import { clearableBytes, type Kept } from './keptFiles.ts'

const EMPTY = 'Those that you open or send stay in this browser.'
const EMPTY_IN_MEMORY = 'Those that you open or send are in memory until this page is closed.'

interface Props {
  kept: Kept
  isClearing: boolean
  onClear: (chatRoomIds: string[], bytes: number) => void
}

/** Which chats have it, and how it is cleared. */
export function StorageChats({ kept, isClearing, onClear }: Props) {
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
