import type { SealedBook } from '../../contract/devices.ts'
import type { Env, SignedInUser } from '../env.ts'
import { Refusal } from '../refuse.ts'
import { requireLive } from '../sessions/sessions.ts'
import { storedManifest } from './documents.ts'
import { lockAccount } from './locked.ts'
import * as store from './store.ts'

/** The account's sealed book; version 0 before the first. */
export async function readBook(env: Env, user: SignedInUser): Promise<SealedBook> {
  const row = await store.findBook(env.db, user.id)
  return row
    ? { version: row.version, historyKeyId: row.historyKeyId, sealed: row.sealed }
    : { version: 0, historyKeyId: 0, sealed: null }
}

/**
 * Replaces the book when nobody else did meanwhile, under a history key that the account has: any other number would stand in the
 * way of every removal to come. Throws Refusal.
 */
export async function saveBook(env: Env, user: SignedInUser, book: { version: number; historyKeyId: number; sealed: string }) {
  await env.db.transaction(async (tx) => {
    const { documents } = await lockAccount(tx, user.id)
    // The device may have been removed while this waited for the lock.
    await requireLive(tx, user)
    const newest = documents ? storedManifest(documents.manifest).historyKeyId : 0
    if (newest === 0 || book.historyKeyId > newest)
      throw new Refusal('invalid_input', { text: 'The account has no such history key' })
    if (book.historyKeyId < newest || !(await store.saveBook(tx, { userId: user.id, ...book })))
      throw new Refusal('stale_version')
  })
  env.hub.publish([user.id], { type: 'book', data: { version: book.version } })
  return { version: book.version }
}
