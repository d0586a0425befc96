import { useStore } from 'zustand'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useDirectChat } from '../../rooms/list/useFace.tsx'
import { nameOf } from '../../rooms/trust/people.ts'
import { type Transfer, transferStore } from './transferState.ts'

/** undefined of one that is over for longer than a day, and not in this browser. */
export const useTransfer = (transferId: string): Transfer | undefined =>
  useStore(transferStore, ({ transfers }) => transfers.get(transferId))

/** The other person’s name, as sentences have it. */
export function useOtherName(chatRoomId: string): string {
  const chat = useDirectChat(useStore(roomsStore, ({ rooms }) => rooms.get(chatRoomId)))
  const name = chat ? nameOf(chat.person) : ''
  return name.split(/\s+/)[0] || name || 'The other person'
}
