import { useStore } from 'zustand'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'

/** The title of the page, with the number that the bell shows. */
export function Title() {
  const unread = useStore(roomsStore, (state) => state.unreadTotal)
  const words = unread > LIMITS.unreadCap ? `${LIMITS.unreadCap}+` : unread
  return <title>{unread > 0 ? `(${words}) Conclave` : 'Conclave'}</title>
}
