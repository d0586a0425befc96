import type { KeyChange } from '../../../contract/account/devices.ts'
import { concat, fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { sealTo } from '../primitives/seal.ts'
import { HISTORY_SEAL, type HistoryKey, ID_BYTES } from './history.ts'

/** The contract's seal holds no more. */
const SEALED_KEYS = 24

/**
 * Seals the newest 24 keys, for a device that missed some changes [Note: H2]. One that missed more must be added again. Throws
 * 'history_key'.
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
