import type { z } from 'zod'
import type { archiveApi } from '../../../contract/chat/archive.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { requireLive } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import { keyBytesReached, takenBy } from './keyBytes.ts'
import { newestManifests } from './manifests.ts'
import { requireRoom } from './members.ts'
import * as rooms from './store.ts'
import { startedEpochs } from './store-archivekeys.ts'
import * as store from './store-archivepages.ts'

/** Throws as `requireRoom` does. */
export async function listPages(env: Env, user: SignedInUser, chatRoomId: string) {
  await requireRoom(env.db, user, chatRoomId, env.clock())
  return { pages: await store.findHeads(env.db, chatRoomId, user.id, LIMITS.archivePagesMax) }
}

/** Throws as `requireRoom` does, and Refusal `not_found`. */
export async function readPage(env: Env, user: SignedInUser, chatRoomId: string, number: number) {
  await requireRoom(env.db, user, chatRoomId, env.clock())
  const page = await store.findPage(env.db, chatRoomId, user.id, number)
  if (!page) throw new Refusal('not_found')
  return page
}

/** Returns archive keys that no page has taken. Throws Refusal. */
export async function listKeysLeft(env: Env, user: SignedInUser, chatRoomId: string) {
  await requireRoom(env.db, user, chatRoomId, env.clock())
  const keys = await store.findKeysLeft(env.db, chatRoomId, user.id, LIMITS.archiveKeysLeftMax + 1)
  return { keys: keys.slice(0, LIMITS.archiveKeysLeftMax), more: keys.length > LIMITS.archiveKeysLeftMax }
}

type NewPage = z.output<typeof archiveApi.putPage.input>

/**
 * Writes a page and deletes the sealed keys of its epochs, which open by the page alone from then on [Note: L1]. The same page
 * again changes nothing. Throws Refusal.
 */
export async function putPage(
  env: Env,
  user: SignedInUser,
  { chatRoomId, epochs, ...page }: NewPage,
): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    await requireRoom(tx, user, chatRoomId, env.clock())
    // Switching the history off takes this lock, then deletes the pages.
    await rooms.lockRoom(tx, chatRoomId)
    const room = await requireRoom(tx, user, chatRoomId, env.clock())
    await requireLive(tx, user)
    const manifest = (await newestManifests(tx, [user.id])).get(user.id)
    if (manifest?.keepsHistory === false) return
    const isProtected = room.members.some((member) => member.userId === user.id && member.isProtected)
    if (!isProtected) throw invalid('Archive pages are written while the chat has a password')
    if (page.historyKeyId !== null && page.historyKeyId !== manifest?.historyKeyId)
      throw invalid('The account has another history key')
    const started = await startedEpochs(tx, chatRoomId, [...new Set(epochs.map(({ groupId }) => groupId))])
    if (epochs.some(({ groupId, epoch }) => !started.has(`${groupId} ${epoch}`))) throw invalid('The room had no such epoch')
    const put = await store.putPage(tx, { chatRoomId, userId: user.id, ...page }, takenBy(env, user, page.sealed))
    if (put === undefined) throw new Refusal('stale_version')
    if (!put) throw keyBytesReached(env)
    await store.deleteKeys(tx, chatRoomId, user.id, epochs)
  })
  return {}
}

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })
