import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { AnyHead, LockAfter, VaultHead } from './vaultHead.ts'
import { findVault } from './vaults.ts'
import { isOfflineWrap, OFFLINE } from './wraps.ts'

export interface VaultWays {
  /** base64. */
  passwordSalt: string | null
  /** base64url. */
  passkeyIds: string[]
}

export interface LockStanding extends VaultWays {
  after: LockAfter
}

/** Returns a vault's lock without a key. */
export async function lockStanding(userId: string, factory: IDBFactory = indexedDB): Promise<LockStanding | null> {
  const head = await headOf(userId, factory)
  if (head?.format !== 2 || head.lockAfter === undefined) return null
  return { after: head.lockAfter, ...waysOf(head, '') }
}

/** Returns the ways without the server [Note: V3]. */
export async function offlineWays(userId: string, factory: IDBFactory = indexedDB): Promise<VaultWays | null> {
  const head = await headOf(userId, factory)
  return head?.format === 2 && head.wraps.some(isOfflineWrap) ? waysOf(head, OFFLINE) : null
}

async function headOf(userId: string, factory: IDBFactory): Promise<AnyHead | undefined> {
  const found = await findVault(userId, factory)
  found?.database.close()
  return found?.head
}

function waysOf({ wraps }: VaultHead, prefix: string): VaultWays {
  const salt = wraps.find(({ kind }) => kind === `${prefix}password`)?.salt
  return {
    passwordSalt: salt ? toBase64(salt) : null,
    passkeyIds: wraps.flatMap(({ kind, id }) => (kind === `${prefix}passkey` && id !== undefined ? [id] : [])),
  }
}
