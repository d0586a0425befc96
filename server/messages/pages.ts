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

/** A page of a room, oldest first: the newest, those before a place, or those after one. Throws Refusal. */
export async function listMessages(env: Env, user: SignedInUser, { chatRoomId, ...page }: Page): Promise<Message[]> {
  const room = await requireRoom(env.db, user.id, chatRoomId)
  const rows = await store.pageOf(env.db, chatRoomId, page)
  return rows.map((row) => shownMessage(row, room.members))
}
