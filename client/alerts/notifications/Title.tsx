import { useStore } from 'zustand'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { ringStore } from './ringing.ts'

/** The title of the page, with the number that the bell shows, or with what rings. */
export function Title() {
  const unread = useStore(roomsStore, (state) => state.unreadTotal)
  const words = unread > LIMITS.unreadCap ? `${LIMITS.unreadCap}+` : unread
  const ring = useStore(ringStore, (state) => state.words)
  return <title>{ring ?? (unread > 0 ? `(${words}) Conclave` : 'Conclave')}</title>
}
