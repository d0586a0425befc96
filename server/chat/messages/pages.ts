import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { requireOpen } from '../chatlocks/chatGate.ts'
import * as store from './store.ts'

interface Page {
  chatRoomId: string
  before?: number | undefined
  after?: number | undefined
  limit: number
}

/**
 * Returns a page of a room's messages as JSON, oldest first, without those that are withheld from the caller: the newest, or
 * those before or after a seq. Throws Refusal, as `requireRoom` does.
 */
export async function listMessages(env: Env, user: SignedInUser, { chatRoomId, ...page }: Page): Promise<string> {
  const read = await store.pageOf(env.db, user.id, chatRoomId, page)
  if (!read) throw new Refusal('not_found')
  if (read.isProtected) await requireOpen(env.db, user, chatRoomId, env.clock())
  return read.json
}
