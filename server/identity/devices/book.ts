import { webcrypto } from 'node:crypto'
import type { z } from 'zod'
import { type devicesApi, type SignedBook, UNSIGNED_BOOK } from '../../../contract/account/devices.ts'
import type { Manifest } from '../../../contract/account/documents.ts'
import { encodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { base64Chars } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { requireLive } from '../sessions/sessions.ts'
import { storedManifest } from './documents.ts'
import { lockAccount } from './locked.ts'
import { isSigned } from './signature.ts'
import * as store from './store-book.ts'

type BookAnswer = z.input<typeof devicesApi.book.output>

export async function readBook(
  env: Env,
  user: SignedInUser,
  { writer }: z.output<typeof devicesApi.book.input>,
): Promise<BookAnswer> {
  const kept = await store.findBooks(env.db, user.id)
  const wanted = writer ?? kept[0]?.deviceId
  const row = wanted === undefined ? undefined : await store.findBook(env.db, user.id, wanted)
  const others = kept
    .filter(({ deviceId }) => deviceId !== wanted)
    .map(({ deviceId, version }) => ({ writer: deviceId, version }))
  if (!row) return { version: 0, historyKeyId: 0, sealed: null, deviceId: null, signature: null, others }
  const { version, historyKeyId, sealed, signature } = row
  return { version, historyKeyId, sealed, signature, deviceId: row.deviceId === UNSIGNED_BOOK ? null : row.deviceId, others }
}

/** Throws Refusal. A foreign history key would block every later removal of a device. */
export async function saveBook(env: Env, user: SignedInUser, book: SignedBook) {
  await env.db.transaction(async (tx) => {
    const { documents } = await lockAccount(tx, user.id)
    // The device may have been removed while this waited for the lock.
    await requireLive(tx, user)
    if (user.deviceId !== book.deviceId) throw new Refusal('unknown_device')
    const manifest = documents && storedManifest(documents.manifest)
    if (!manifest || book.historyKeyId > manifest.historyKeyId)
      throw new Refusal('invalid_input', { text: 'The account has no such history key' })
    if (book.historyKeyId < manifest.historyKeyId) throw new Refusal('stale_version')
    await requireRoom(tx, user.id, book)
    await putBook(tx, user.id, manifest, book)
  })
  env.hub.publish([user.id], { type: 'book', data: { version: book.version } })
  return { version: book.version }
}

/** Throws Refusal: what is above the limit leaves no room for a change of keys, so it may only shrink. */
async function requireRoom(tx: Queryable, userId: string, { sealed }: SignedBook): Promise<void> {
  if (sealed.length <= base64Chars(LIMITS.bookSavedBytes)) return
  if (sealed.length >= (await store.findBookChars(tx, userId))) throw new Refusal('book_full')
}

/** Compares and sets under the account's lock: one version up, no older history key. Throws Refusal. */
export async function putBook(tx: Queryable, userId: string, manifest: Manifest, book: SignedBook): Promise<void> {
  const [newest] = await store.findBooks(tx, userId)
  if (book.version !== (newest?.version ?? 0) + 1 || book.historyKeyId < (newest?.historyKeyId ?? 0))
    throw new Refusal('stale_version')
  const sealed = decodeBook(book.sealed)
  await requireSigned(manifest, book, sealed)
  const { version, historyKeyId, deviceId, signature } = book
  await store.saveBook(tx, { userId, version, historyKeyId, sealed, deviceId, signature })
}

/** Node takes a tenth of the time of `fromBase64`, but leaves out unknown characters. Throws Refusal. */
function decodeBook(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const isWhole = bytes.length === (text.length / 4) * 3 - padding
  if (!isWhole || text.includes('-') || text.includes('_'))
    throw new Refusal('invalid_input', { text: 'The book must be base64' })
  return bytes
}

/** Throws Refusal unless a listed device has signed [Note: I1]. */
async function requireSigned(
  { identityKey, devices }: Manifest,
  { version, historyKeyId, deviceId, signature }: SignedBook,
  sealed: Buffer,
): Promise<void> {
  const device = devices.find(({ id }) => id === deviceId)
  if (!device) throw new Refusal('unknown_device')
  // Another thread hashes.
  const hash = new Uint8Array(await webcrypto.subtle.digest('SHA-256', sealed))
  const fields = [fromBase64(identityKey), String(version), String(historyKeyId), hash] as const
  const signed = encodeFields('conclave/book-signature/v1', ...fields)
  if (!isSigned(fromBase64(device.leafKey), fromBase64(signature), signed)) throw new Refusal('invalid_signature')
}
