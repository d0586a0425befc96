import { CryptoFailure } from '../primitives/failure.ts'
import { erase } from '../primitives/seal.ts'
import { changeHead, type LockAfter, newHead, rowKeyOf, type VaultHead } from './vaultHead.ts'
import { findVault } from './vaults.ts'
import { isOfflineWrap, type LockSecret, NO_SERVER, newWrap, offlineOf } from './wraps.ts'

export interface Keys {
  userId: string
  unlockSecret: Uint8Array
  entered: LockSecret[]
}

/** Locks the vault [Note: V3], deleting the wrap without a lock. Throws as `rowKeyOf`. */
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

/** Removes the lock. Throws as `rowKeyOf`. */
export const removeLock = (keys: Keys, factory: IDBFactory = indexedDB): Promise<void> =>
  rewrap(keys, factory, async (rowKey, head) => withOffline(await newHead(rowKey, head.deviceId, keys.unlockSecret), head))

/** Offline wraps stay until the person removes them. */
const withOffline = (next: VaultHead, { wraps }: VaultHead): VaultHead => ({
  ...next,
  wraps: [...next.wraps, ...wraps.filter(isOfflineWrap)],
})

/** Replaces the password; passkeys stay. Throws as `rowKeyOf`. */
export const renewLockPassword = (keys: Keys, next: LockSecret, factory: IDBFactory = indexedDB): Promise<void> =>
  rewrap(keys, factory, async (rowKey, head) => {
    const wraps = head.wraps.map((wrap) => {
      if (wrap.kind === 'password') return newWrap(rowKey, keys.unlockSecret, head.deviceId, next)
      return wrap.kind === offlineOf(next).kind ? newWrap(rowKey, NO_SERVER, head.deviceId, offlineOf(next)) : wrap
    })
    return { ...head, wraps: await Promise.all(wraps) }
  })

/** Sets the time until the browser locks. */
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

/** Replaces the head by that of `build`. Throws as `rowKeyOf`. */
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
