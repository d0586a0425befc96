import { type Blocked, contactsApi } from '../../../contract/chat/contacts.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { fetchRooms } from '../../rooms/list/loadRooms.ts'
import { isRequest, personIdOfDirect } from '../../rooms/list/room.ts'
import { type DirectRow, putRooms, roomById } from '../../rooms/list/roomList.ts'
import { saveBook } from '../../rooms/trust/book.ts'

/** Blocks the other person of a room, or one who asks: a request then leaves the list. Nobody is told. Throws ApiError. */
export async function blockContact(env: Env, room: DirectRow): Promise<void> {
  await env.api(contactsApi.block, { contactId: room.direct.contactId })
  await noteBlock(env, personIdOfDirect(room), true)
  if (isRequest(room)) putRooms([], [room.id])
  else await fetchRooms(env, [room.id])
}

/** Ends a block. A request that was blocked stays off the list; `restoreContact` puts it back. Throws ApiError. */
export async function unblockContact(env: Env, room: DirectRow): Promise<void> {
  await env.api(contactsApi.unblock, { contactId: room.direct.contactId })
  await noteBlock(env, personIdOfDirect(room), false)
  if (!isRequest(room)) await fetchRooms(env, [room.id])
}

/** Ends the block of somebody who need not be on the list. Throws ApiError. */
export async function unblockPerson(env: Env, ownId: string, { contactId, userId }: Blocked): Promise<void> {
  await env.api(contactsApi.unblock, { contactId })
  await noteBlock(env, userId, false)
  const chatRoomId = directRoomId(ownId, userId)
  if (roomById(chatRoomId)) await fetchRooms(env, [chatRoomId])
}

/** Reads whom the account blocks. Throws ApiError. */
export const blockedPeople = (env: Env): Promise<Blocked[]> => env.api(contactsApi.blocked, {})

/** Notes a block in the account's book, so that all of its browsers can explain the messages that the server withholds. */
async function noteBlock(env: Env, userId: string | undefined, isBlocked: boolean): Promise<void> {
  if (userId === undefined) return
  await env.crypto.noteBlock({ userId, isBlocked })
  await saveLater(env)
}

/** Saves the book now, or with the next sync where the server is away. */
export async function saveLater(env: Env): Promise<void> {
  await saveBook(env).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}
