import { CircleCheck, Radio } from 'lucide-react'
import { useStore } from 'zustand'
import { connectionStore } from '../../net/status.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useDirectChat } from '../../rooms/list/useFace.tsx'
import { Named } from './Named.tsx'
import { connectionWords } from './stageWords.ts'
import type { Transfer } from './transferState.ts'

interface Props {
  transfers: readonly Transfer[]
  chatRoomId: string
  name: string
}

/** How the two browsers are connected. */
export function ConnectionLine({ transfers, chatRoomId, name }: Props) {
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const chat = useDirectChat(useStore(roomsStore, ({ rooms }) => rooms.get(chatRoomId)))
  const isMoving = isConnected && transfers.some(({ stage }) => stage === 'moving')
  const Icon = isMoving ? CircleCheck : Radio
  return (
    <p className={isMoving ? 'transfer-state ok' : 'transfer-state'} role="status">
      <Icon className="i i-16" aria-hidden />
      <span>
        <Named words={(placed) => connectionWords(transfers, isConnected, chat?.person.isOnline === true, placed)} name={name} />
      </span>
    </p>
  )
}
