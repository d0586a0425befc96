import type { KeyChange, SealedBook } from '../../../contract/account/devices.ts'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { eraseKeyring, rewrapKeyring } from '../keys/keyring.ts'
import { requireMarkedNewest } from '../keys/markedDocuments.ts'
import { sealHistory } from '../keys/newhistory.ts'
import { requireBookSigner } from '../keys/signature.ts'
import type { HeldWays } from '../keys/ways.ts'
import { parseBook, startedAnew } from '../lists/book.ts'
import { ownPart } from '../lists/bookSize.ts'
import { EMPTY_TEXT, firstBookWrite } from '../lists/newbook.ts'
import { openText, sealText } from '../lists/sealedbook.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { keyPairOf } from '../primitives/seal.ts'
import { draftDevice, type KeyDraft, type NewBrowser } from './draftKeys.ts'
import type { Review } from './reviewAccount.ts'

export interface RecoveryRequest extends NewBrowser {
  removesOthers: boolean
  bookVersion: number
  /** null starts an empty book [Note: I1]. */
  book: SealedBook | null
}

/** [Note: H2] */
export interface RecoveryDraft extends KeyDraft {
  renewal: Required<Pick<KeyChange, 'historySeals' | 'book'>>
}

/** True if a listed device signed the book and a history key opens this. Throws 'book_rollback' [Note: V4]. */
export async function bookHolds(review: Review, { book, isNewest }: { book: SealedBook; isNewest: boolean }): Promise<boolean> {
  if (isNewest) await requireMarkedNewest(review.manifest.identityKey, book)
  return (await textOf(review, book, isNewest)) !== undefined
}

/**
 * Builds keyring, device list and book under a new history key [Note: K2, H2, I1]; erases the review. The new password always
 * opens the keyring. Throws 'password', 'too_many_devices'.
 */
export async function draftRecovery(
  review: Review,
  { newPassword, newKit }: HeldWays,
  { removesOthers, bookVersion, book, ...browser }: RecoveryRequest,
): Promise<RecoveryDraft> {
  if (!newPassword) throw new CryptoFailure('password', 'Enter the new password again')
  const { opened, manifest } = review
  if (!removesOthers && manifest.devices.length >= LIMITS.devicesMax)
    throw new CryptoFailure('too_many_devices', 'Your account has no room for one more browser. Remove the others with this step')
  const text = (book && (await textOf(review, book, book.version === bookVersion))) ?? JSON.stringify(startedAnew())
  const addWays = newKit ? [newPassword, newKit] : [newPassword]
  const next = await rewrapKeyring(opened, { removeWays: ['password', 'kit'], addWays, renewHistory: true })
  eraseKeyring(opened)
  const newest = next.secret.historyKeys.at(-1)
  if (!newest) throw new CryptoFailure('history_key', 'The keys of your account lack a history key')
  const version = manifest.version + 1
  const leaving = removesOthers ? manifest.devices.map(({ id }) => id) : []
  const renewed = {
    ...manifest,
    devices: removesOthers ? [] : manifest.devices,
    removed: [...manifest.removed, ...leaving],
    removedAt: { ...manifest.removedAt, ...Object.fromEntries(leaving.map((id) => [id, version])) },
    historyKeyId: newest.id,
    historyKey: toBase64((await keyPairOf(newest.seed)).publicKey),
    keyringVersion: next.keyring.version,
  }
  const draft = await draftDevice({ opened: next, keyring: next.signed, manifest: renewed }, browser)
  const [key] = draft.history.slice(-1)
  if (!key) throw new CryptoFailure('history_key', 'The keys of your account lack a history key')
  const { identityKey, device } = draft
  const staying = [...renewed.devices, { id: device.id, sealingKey: toBase64(device.sealingKey) }]
  const historySeals = await Promise.all(staying.map((each) => sealHistory(draft.history, identityKey, each)))
  const stored = await sealText(draft, key, bookVersion + 1, text)
  return { ...draft, writes: [...draft.writes, firstBookWrite(stored, text)], renewal: { historySeals, book: stored } }
}

async function textOf({ opened, manifest }: Review, book: SealedBook, isNewest: boolean): Promise<string | undefined> {
  const { historyKeyId } = manifest
  // History keys exist before books.
  if (book.sealed === null) return historyKeyId === 1 ? EMPTY_TEXT : undefined
  if (isNewest && historyKeyId > 1 && book.historyKeyId < historyKeyId) return undefined
  const key = opened.secret.historyKeys.find(({ id }) => id === book.historyKeyId)
  if (!key) return undefined
  try {
    requireBookSigner(manifest, book)
    const text = await openText(fromBase64(manifest.identityKey), key, { ...book, sealed: book.sealed })
    return reducedBook(text)
  } catch (error) {
    if (error instanceof CryptoFailure) return undefined
    throw error
  }
}

/** [Note: F2] */
function reducedBook(text: string): string | undefined {
  try {
    return JSON.stringify(ownPart(parseBook(text), new Set()))
  } catch (error) {
    if (error instanceof CryptoFailure) return error.code === 'newer_version' ? text : undefined
    throw error
  }
}
