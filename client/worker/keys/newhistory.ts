import type { KeyChange } from '../../../contract/account/devices.ts'
import { concat, fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { sealTo } from '../primitives/seal.ts'
import { HISTORY_SEAL, type HistoryKey, ID_BYTES } from './history.ts'

/** The most history keys that fit into one seal of the contract. */
const SEALED_KEYS = 24

/**
 * Seals the newest 24 history keys to one of the account's devices, so that a device which missed some changes gets the keys in
 * between too. (A device that missed more must be added again to read older messages.)
 */
export async function sealHistory(
  keys: HistoryKey[],
  identityKey: Uint8Array,
  device: { id: string; sealingKey: string },
): Promise<KeyChange['historySeals'][number]> {
  const newest = keys.at(-1)
  if (!newest) throw new CryptoFailure('history_key', 'The keys of your account lack a history key')
  const plain = concat(...keys.slice(-SEALED_KEYS).flatMap(({ id, seed }) => [idBytes(id), seed]))
  const context = [identityKey, device.id, String(newest.id)] as const
  const sealed = await sealTo(fromBase64(device.sealingKey), HISTORY_SEAL, plain, ...context)
  plain.fill(0)
  return { deviceId: device.id, historyKeyId: newest.id, sealed: toBase64(sealed) }
}

function idBytes(id: number): Uint8Array {
  const bytes = new Uint8Array(ID_BYTES)
  new DataView(bytes.buffer).setUint32(0, id)
  return bytes
}
