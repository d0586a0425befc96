import type { SealedBook } from '../../contract/devices.ts'
import type { Env, SignedInUser } from '../env.ts'
import { Refusal } from '../http/refuse.ts'
import * as store from './store.ts'

/** The account's sealed book; version 0 before the first. */
export async function readBook(env: Env, user: SignedInUser): Promise<SealedBook> {
  const row = await store.findBook(env.db, user.id)
  return row
    ? { version: row.version, historyKeyId: row.historyKeyId, sealed: row.sealed }
    : { version: 0, historyKeyId: 0, sealed: null }
}

/** Replaces the book when nobody else did meanwhile. Throws Refusal. */
export async function saveBook(env: Env, user: SignedInUser, book: { version: number; historyKeyId: number; sealed: string }) {
  if (!(await store.saveBook(env.db, { userId: user.id, ...book }))) throw new Refusal('stale_version')
  env.hub.publish([user.id], { type: 'book', data: { version: book.version } })
  return { version: book.version }
}
