import { messagesApi } from '../../contract/messages.ts'
import type { Env } from '../env.ts'
import { fetchNamed } from '../trust/named.ts'
import { fetchKeys } from './keys.ts'
import { placeOf, type Room } from './room.ts'

const PAGE = 50

/** Fetches the page before a seq and keeps it, read by the archive. False: nothing older exists. */
export async function loadOlderPage(env: Env, room: Room, before: number): Promise<boolean> {
  if (before <= 1 || room.state === 'pending') return false
  if (!(await env.crypto.ownStanding()).keepsHistory) {
    // No key of what is older was kept: a column of unreadable lines would help nobody.
    await env.crypto.adoptPage({ ...placeOf(room), messages: [], isStart: true })
    return false
  }
  const messages = await env.api(messagesApi.list, { chatRoomId: room.id, before, limit: PAGE })
  const missing = await env.crypto.missingEpochs(messages)
  if (missing.length > 0) await env.crypto.keepArchiveKeys(await fetchKeys(env, room.id, missing))
  const named = await env.crypto.adoptPage({ ...placeOf(room), messages, isStart: messages.length < PAGE })
  await fetchNamed(env, room, named)
  return messages.length > 0
}
