import { toBase64 } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase } from '../primitives/seal.ts'
import { changeHead, type LockAfter, newHead, rowKeyOf, type VaultHead } from './head.ts'
import { findVault } from './vaults.ts'
import { type LockSecret, newWrap } from './wraps.ts'

/** The settings of a browser's lock, and what opens it. */
export interface LockStanding {
  after: LockAfter
  /** The salt of the password that opens it, base64; null if no password does. */
  passwordSalt: string | null
  /** Credential ids, base64url. */
  passkeyIds: string[]
}

/** The lock of a user's vault, whether it is open or not; null where it has none. */
export async function lockStanding(userId: string, factory: IDBFactory = indexedDB): Promise<LockStanding | null> {
  const found = await findVault(userId, factory)
  found?.database.close()
  const head = found?.head
  if (head?.format !== 2 || head.lockAfter === undefined) return null
  const salt = head.wraps.find(({ kind }) => kind === 'password')?.salt
  return {
    after: head.lockAfter,
    passwordSalt: salt ? toBase64(salt) : null,
    passkeyIds: head.wraps.flatMap(({ kind, id }) => (kind === 'passkey' && id !== undefined ? [id] : [])),
  }
}

interface Keys {
  userId: string
  unlockSecret: Uint8Array
  /** Secrets that open the current lock; empty if there is no lock. */
  entered: LockSecret[]
}

/**
 * Locks the vault: it then needs one of these secrets besides the unlock secret [Note: V3], and the wrap without one is deleted.
 * Throws what `rowKeyOf` throws.
 */
export const addLock = (
  keys: Keys,
  lock: { secrets: LockSecret[]; after: LockAfter },
  factory: IDBFactory = indexedDB,
): Promise<void> => {
  if (lock.secrets.length === 0) throw new CryptoFailure('password', 'Enter the password again')
  return rewrap(keys, factory, (rowKey, { deviceId }) => newHead(rowKey, deviceId, keys.unlockSecret, lock))
}

/** Removes the lock, so that the unlock secret alone opens the vault. Throws what `rowKeyOf` throws. */
export const removeLock = (keys: Keys, factory: IDBFactory = indexedDB): Promise<void> =>
  rewrap(keys, factory, (rowKey, { deviceId }) => newHead(rowKey, deviceId, keys.unlockSecret))

/** Replaces the password that opens the lock; passkeys stay. Throws what `rowKeyOf` throws. */
export const renewLockPassword = (keys: Keys, next: LockSecret, factory: IDBFactory = indexedDB): Promise<void> =>
  rewrap(keys, factory, async (rowKey, head) => {
    const wrap = await newWrap(rowKey, keys.unlockSecret, head.deviceId, next)
    return { ...head, wraps: [...head.wraps.filter(({ kind }) => kind !== 'password'), wrap] }
  })

/** Sets the time until the browser locks; the secrets of the lock stay. */
export async function setLockAfter(userId: string, after: LockAfter, factory: IDBFactory = indexedDB): Promise<void> {
  const found = await findVault(userId, factory)
  if (!found) throw absent()
  try {
    await changeHead(found.database, userId, async (head) => {
      if (head.format !== 2 || head.lockAfter === undefined) return undefined
      return { ...head, lockAfter: after }
    })
  } finally {
    found.database.close()
  }
}

async function rewrap(
  { userId, unlockSecret, entered }: Keys,
  factory: IDBFactory,
  build: (rowKey: Uint8Array, head: VaultHead) => Promise<VaultHead>,
): Promise<void> {
  const found = await findVault(userId, factory)
  if (!found) throw absent()
  try {
    await changeHead(found.database, userId, async (head) => {
      const rowKey = await rowKeyOf(head, unlockSecret, entered)
      const current = head.format === 2 ? head : await newHead(rowKey, head.deviceId, unlockSecret)
      const next = await build(rowKey, current)
      erase(rowKey)
      return next
    })
  } finally {
    found.database.close()
  }
}

const absent = () => new CryptoFailure('vault_absent', 'This browser keeps no vault of this account')
