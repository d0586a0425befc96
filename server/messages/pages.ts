import type { Message } from '../../contract/messages.ts'
import type { Env, SignedInUser } from '../env.ts'
import { readerOf, requireRoom } from '../rooms/members.ts'
import { shownMessage } from '../rooms/shown.ts'
import * as store from './store.ts'

interface Page {
  chatRoomId: string
  before?: number | undefined
  after?: number | undefined
  limit: number
}

/**
 * Returns a page of a room's messages, oldest first, without those that are withheld from the caller: the newest, or
 * those before or after a seq. Throws Refusal.
 */
export async function listMessages(env: Env, user: SignedInUser, { chatRoomId, ...page }: Page): Promise<Message[]> {
  const room = await requireRoom(env.db, user, chatRoomId, env.clock())
  const rows = await store.pageOf(env.db, chatRoomId, { ...page, ...readerOf(room, user.id) })
  return rows.map((row) => shownMessage(row, room.members))
}
