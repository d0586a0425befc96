import { CryptoFailure } from '../primitives/failure.ts'
import { erase } from '../primitives/seal.ts'
import { changeHead, type LockAfter, newHead, rowKeyOf, type VaultHead } from './vaultHead.ts'
import { findVault } from './vaults.ts'
import { isOfflineWrap, type LockSecret, NO_SERVER, newWrap, offlineOf } from './wraps.ts'

/** What opens a vault that is wrapped anew. */
export interface Keys {
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
  return rewrap(keys, factory, async (rowKey, head) =>
    withOffline(await newHead(rowKey, head.deviceId, keys.unlockSecret, lock), head),
  )
}

/** Removes the lock, so that the unlock secret alone opens the vault. Throws what `rowKeyOf` throws. */
export const removeLock = (keys: Keys, factory: IDBFactory = indexedDB): Promise<void> =>
  rewrap(keys, factory, async (rowKey, head) => withOffline(await newHead(rowKey, head.deviceId, keys.unlockSecret), head))

/** A new head with the wraps that open without the server: each stays until the person takes it away. */
const withOffline = (next: VaultHead, { wraps }: VaultHead): VaultHead => ({
  ...next,
  wraps: [...next.wraps, ...wraps.filter(isOfflineWrap)],
})

/** Replaces the password wherever one opens the vault; passkeys stay. Throws what `rowKeyOf` throws. */
export const renewLockPassword = (keys: Keys, next: LockSecret, factory: IDBFactory = indexedDB): Promise<void> =>
  rewrap(keys, factory, async (rowKey, head) => {
    const wraps = head.wraps.map((wrap) => {
      if (wrap.kind === 'password') return newWrap(rowKey, keys.unlockSecret, head.deviceId, next)
      return wrap.kind === offlineOf(next).kind ? newWrap(rowKey, NO_SERVER, head.deviceId, offlineOf(next)) : wrap
    })
    return { ...head, wraps: await Promise.all(wraps) }
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

/** Replaces the head by one that `build` makes with the row key. Throws what `rowKeyOf` throws. */
export async function rewrap(
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

export const absent = () => new CryptoFailure('vault_absent', 'This browser keeps no vault of this account')
