import type { Keyring, Manifest } from '../../../contract/account/documents.ts'
import { sameBytes } from '../../../contract/ground/bytes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { type Documents, type ReadDocuments, requireName, sameText, storedKeyring, storedManifest } from './documents.ts'
import * as store from './store.ts'
import * as rooms from './store-rooms.ts'

/** No other transaction can change the keys. */
export interface LockedAccount {
  id: string
  /** In lower case. */
  username: string
  publicKey: Buffer | null
  passwordHash: Buffer
  kitHash: Buffer | null
  /** The password needs a passkey too [Note: K1]. */
  biometricEnabled: boolean
  documents: Documents | undefined
}

/** Locks rooms first. Throws Refusal. */
export async function lockAccount(tx: Queryable, userId: string, hasRooms = false): Promise<LockedAccount> {
  const locked = hasRooms && (await rooms.lockRoomsOf(tx, userId))
  const identity = await store.lockIdentity(tx, userId)
  if (!identity) throw new Refusal('not_signed_in')
  // A room was created between the locks: locking it now would break the order [Note: D3].
  if (hasRooms && (await rooms.hashOfRooms(tx, userId)) !== locked) {
    throw new Refusal('unavailable', { retryAfterSeconds: 1 })
  }
  const stored = await store.findDocuments(tx, userId)
  const documents = stored?.keyring && stored.manifest ? { keyring: stored.keyring, manifest: stored.manifest } : undefined
  return { ...identity, id: userId, documents }
}

export const roomsOf = (tx: Queryable, { id }: LockedAccount): Promise<string[]> => rooms.roomsOf(tx, id)

/** True if the response to an earlier attempt was lost. */
export const isStored = ({ documents }: LockedAccount, { posted }: ReadDocuments): boolean =>
  documents !== undefined && sameText(documents.keyring, posted.keyring) && sameText(documents.manifest, posted.manifest)

/** Throws Refusal unless the account's identity key signed `read`. */
export function requireStored(
  { username, publicKey, documents }: LockedAccount,
  read: ReadDocuments,
): { keyring: Keyring; manifest: Manifest } {
  if (!publicKey || !documents) throw new Refusal('stale_version')
  if (!sameBytes(publicKey, read.identityKey)) throw new Refusal('invalid_signature')
  requireName(username, read.manifest)
  return { keyring: storedKeyring(documents.keyring), manifest: storedManifest(documents.manifest) }
}

/** Throws Refusal, `stale_version` first, unless the documents are one version up [Note: K3]. */
export function requireNext(account: LockedAccount, read: ReadDocuments): { keyring: Keyring; manifest: Manifest } {
  const before = requireStored(account, read)
  const isNext = read.keyring.version === before.keyring.version + 1 && read.manifest.version === before.manifest.version + 1
  if (!isNext) throw new Refusal('stale_version')
  return before
}

export const saveDocuments = (tx: Queryable, userId: string, { posted, keyring, manifest }: ReadDocuments): Promise<void> =>
  store.saveDocuments(tx, userId, {
    keyring: posted.keyring,
    keyringVersion: keyring.version,
    manifest: posted.manifest,
    manifestVersion: manifest.version,
  })
