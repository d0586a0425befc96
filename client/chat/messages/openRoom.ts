import { type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { messagesStore } from './store.ts'

/** Returns the row of the chat on the screen. */
export const openRoom = (): RoomRow | undefined => roomById(messagesStore.getState().open?.chatRoomId ?? '')
