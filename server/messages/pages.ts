import type { Message } from '../../contract/messages.ts'
import type { Env, SignedInUser } from '../env.ts'
import { requireRoom } from '../rooms/members.ts'
import { shownMessage } from '../rooms/shown.ts'
import * as store from './store.ts'

interface Page {
  chatRoomId: string
  before?: number | undefined
  after?: number | undefined
  limit: number
}

/** Returns a page of a room's messages, oldest first: the newest, or those before or after a seq. Throws Refusal. */
export async function listMessages(env: Env, user: SignedInUser, { chatRoomId, ...page }: Page): Promise<Message[]> {
  const room = await requireRoom(env.db, user.id, chatRoomId)
  const rows = await store.pageOf(env.db, chatRoomId, page)
  return rows.map((row) => shownMessage(row, room.members))
}
