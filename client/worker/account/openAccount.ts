import { decodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import { readHistory } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { addMarks } from '../lists/documentMarks.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { openVault, type Vault } from '../vault/vault.ts'
import type { LockSecret } from '../vault/wraps.ts'

/** Opens a vault [Note: V1]. Throws 'vault_absent' or what `openVault` throws. */
export async function openLive(
  userId: string,
  unlock: { deviceId: string; unlockSecret: string },
  username?: string,
  entered: LockSecret[] = [],
): Promise<Live> {
  const vault = await openVault(userId, fromBase64(unlock.unlockSecret), { ...(username !== undefined && { username }), entered })
  if (vault.deviceId === unlock.deviceId) return liveOf(vault)
  vault.close()
  throw new CryptoFailure('vault_absent', 'The keys in this browser belong to another device')
}

/** Throws 'vault_absent' for an incomplete vault. */
export async function liveOf(vault: Vault): Promise<Live> {
  const [device, account, history] = await Promise.all([
    vault.get('sealed', 'device'),
    vault.get('sealed', 'account'),
    readHistory(vault),
  ])
  const [leafSeed, leafKey, sealingSeed, sealingKey] = device?.bytes ? decodeFields(device.bytes) : []
  const [identityKey, credential] = account?.bytes ? decodeFields(account.bytes) : []
  if (!leafSeed || !leafKey || !sealingSeed || !sealingKey || !identityKey || !credential || !history) {
    throw new CryptoFailure('vault_absent', 'The keys in this browser are incomplete')
  }
  const live: Live = {
    userId: vault.userId,
    vault,
    identityKey,
    credential,
    device: { id: vault.deviceId, leafSeed, leafKey, sealingSeed, sealingKey },
    history,
  }
  await addMarks(live)
  return live
}
