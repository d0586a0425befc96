import type { z } from 'zod'
import type { archiveApi } from '../../../contract/chat/archive.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { hasOneDevice } from '../../identity/devices/devices.ts'
import { requireLive } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import { hasJustVerified } from '../chatlocks/chatlocks.ts'
import { keyBytesReached, takenBy } from './keyBytes.ts'
import { newestManifests } from './manifests.ts'
import { requireRoom } from './members.ts'
import * as rooms from './store.ts'
import { startedEpochs } from './store-archivekeys.ts'
import * as store from './store-archivepages.ts'

/** Throws as `requireRoom` does. */
export async function listPages(env: Env, user: SignedInUser, chatRoomId: string) {
  await requireRoom(env.db, user, chatRoomId, env.clock())
  const pages = await store.findHeads(env.db, chatRoomId, user.id)
  const older = new Map(pages.map((page) => [page.number, page]))
  const newest = pages.filter(({ number }, at) => number !== pages[at - 1]?.number).slice(0, LIMITS.archivePagesMax)
  return {
    pages: newest.map((page) => {
      const before = older.get(page.number)
      return { ...page, before: before && before !== page ? before : null }
    }),
  }
}

/** Throws as `requireRoom` does, and Refusal `not_found`. */
export async function readPage(env: Env, user: SignedInUser, chatRoomId: string, number: number, version?: number) {
  await requireRoom(env.db, user, chatRoomId, env.clock())
  const page = await store.findPage(env.db, chatRoomId, user.id, number, version)
  if (!page) throw new Refusal('not_found')
  return page
}

/** Throws Refusal. */
export async function listKeysLeft(env: Env, user: SignedInUser, chatRoomId: string) {
  await requireRoom(env.db, user, chatRoomId, env.clock())
  const device = await confirmingDevice(env, env.db, user, chatRoomId)
  const keys = await store.findKeysLeft(env.db, chatRoomId, user.id, device, LIMITS.archiveKeysLeftMax + 1)
  return { keys: keys.slice(0, LIMITS.archiveKeysLeftMax), more: keys.length > LIMITS.archiveKeysLeftMax }
}

/** undefined if nobody else need confirm: a person who just entered the chat password is there, or the account has one device [Note: H1]. */
async function confirmingDevice(env: Env, db: Queryable, user: SignedInUser, chatRoomId: string): Promise<string | undefined> {
  const isSure = await hasJustVerified(db, user, { chatRoomId, userId: user.id }, env.clock())
  return isSure || (await hasOneDevice(db, user.id)) ? undefined : (user.deviceId ?? '')
}

type NewPage = z.output<typeof archiveApi.putPage.input>

/**
 * Writes a page [Note: L1, H1]. The same page again changes nothing. Throws Refusal.
 */
export async function putPage(
  env: Env,
  user: SignedInUser,
  { chatRoomId, epochs, ...draft }: NewPage,
): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    await requireRoom(tx, user, chatRoomId, env.clock())
    // Switching the history off takes this lock, then deletes the pages.
    await rooms.lockRoom(tx, chatRoomId)
    const room = await requireRoom(tx, user, chatRoomId, env.clock())
    await requireLive(tx, user)
    const manifest = (await newestManifests(tx, [user.id])).get(user.id)
    if (manifest?.keepsHistory === false) return
    const stored = await store.findPage(tx, chatRoomId, user.id, draft.number)
    if (stored?.version === draft.version && stored.sealed === draft.sealed) return
    if (!room.members.some(({ userId, isProtected }) => userId === user.id && isProtected))
      throw invalid('Only a chat with a password has archive pages')
    if ((stored?.version ?? 0) !== draft.version - 1) throw new Refusal('stale_version')
    if (draft.historyKeyId !== null) {
      if (draft.historyKeyId !== manifest?.historyKeyId) throw invalid('The account has another history key')
      if (stored?.historyKeyId !== null || epochs.length > 0)
        throw invalid('A page under a history key follows one under the chat’s own seed')
    }
    const started = await startedEpochs(tx, chatRoomId, [...new Set(epochs.map(({ groupId }) => groupId))])
    if (epochs.some(({ groupId, epoch }) => !started.has(`${groupId} ${epoch}`))) throw invalid('The room had no such epoch')
    const device = await confirmingDevice(env, tx, user, chatRoomId)
    const page = { room: room.number, userId: user.id, writtenBy: user.deviceId ?? '', ...draft }
    if (!(await store.putPage(tx, page, takenBy(env, user, page.sealed)))) throw keyBytesReached(env)
    await store.deleteOlder(tx, page, device !== undefined ? 'any' : (await hasOneDevice(tx, user.id)) ? 'none' : 'under_seed')
    await store.pageKeys(tx, { room: room.number, userId: user.id, epochs, writtenBy: device })
  })
  return {}
}

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })
