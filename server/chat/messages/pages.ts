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

/** Returns shown messages as JSON, oldest first. Throws Refusal. */
export async function listMessages(env: Env, user: SignedInUser, { chatRoomId, ...page }: Page): Promise<string> {
  const read = await store.pageOf(env.db, user.id, chatRoomId, page)
  if (!read) throw new Refusal('not_found')
  if (read.isProtected) await requireOpen(env.db, user, chatRoomId, env.clock())
  return read.json
}
