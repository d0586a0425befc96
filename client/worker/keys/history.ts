import { z } from 'zod'
import type { Manifest } from '../../../contract/account/documents.ts'
import { concat, decodeFields, encodeFields, fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { keyPairOf, openFrom } from '../primitives/seal.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import type { Live } from './live.ts'

export const HISTORY_SEAL = 'conclave/history-seal/v1'
const ROW = 'history'
export const ID_BYTES = 4
const SEED_BYTES = 32
const KEY_BYTES = ID_BYTES + SEED_BYTES

/** A history key [Note: H2]: the 32-byte seed of an X-Wing pair. Lists of them have the newest last. */
export interface HistoryKey {
  id: number
  seed: Uint8Array
}

/** A sealed history key as the server returns it. */
export interface HistorySeal {
  historyKeyId: number
  sealed: string
}

/** Copies the keys, so that erasing one list leaves the other intact. */
export const copyHistory = (keys: HistoryKey[]): HistoryKey[] => keys.map(({ id, seed }) => ({ id, seed: concat(seed) }))

/** The change that stores the account's history keys. */
export const historyWrite = (keys: HistoryKey[]): Write => ({
  store: 'sealed',
  key: ROW,
  value: { json: keys.map(({ id }) => id), bytes: encodeFields(...keys.map(({ seed }) => seed)) },
})

/** The history keys in the vault; undefined if it has none yet. */
export async function readHistory(vault: Vault): Promise<HistoryKey[] | undefined> {
  const row = await vault.get('sealed', ROW)
  if (!row?.bytes) return undefined
  const seeds = decodeFields(row.bytes)
  return jsonOf(z.array(z.number()), row).flatMap((id, at) => (seeds[at] ? [{ id, seed: seeds[at] }] : []))
}

/** A history key of the account by its id. Another tab may have stored it meanwhile, so the vault is read again. */
export async function historyKeyOf(live: Live, id: number): Promise<HistoryKey | undefined> {
  const held = live.history.find((key) => key.id === id)
  if (held) return held
  live.history = (await readHistory(live.vault)) ?? live.history
  return live.history.find((key) => key.id === id)
}

/** Adds the learned keys that this device lacks: a known key is never replaced. */
export function mergeHistory(known: HistoryKey[], learned: HistoryKey[]): HistoryKey[] {
  const fresh = learned.filter(({ id }) => !known.some((key) => key.id === id))
  return [...known, ...fresh].sort((a, b) => a.id - b.id)
}

/** True if this is the key that the manifest announces. */
export async function isAnnounced(manifest: Manifest, { id, seed }: HistoryKey): Promise<boolean> {
  return id === manifest.historyKeyId && toBase64((await keyPairOf(seed)).publicKey) === manifest.historyKey
}

/**
 * Opens the seal of the key that the account's signed manifest announces [Note: H2]. HPKE does not authenticate the sealer, so a
 * seal counts only if the newest seed in it yields exactly the announced public key. That also vouches for the older seeds in it:
 * HPKE is not malleable, so the maker of a seal with the announced seed knows that seed, and only the account's own devices and
 * ways in do. Throws CryptoFailure('history_key') if the seal is missing or false.
 */
export async function openHistorySeal(live: Live, manifest: Manifest, seals: HistorySeal[]): Promise<HistoryKey[]> {
  const seal = seals.find(({ historyKeyId }) => historyKeyId === manifest.historyKeyId)
  if (!seal) throw new CryptoFailure('history_key', 'The server did not hand out the new history key of your account')
  const context = [live.identityKey, live.device.id, String(manifest.historyKeyId)] as const
  const plain = await openFrom(live.device.sealingSeed, HISTORY_SEAL, fromBase64(seal.sealed), ...context).catch((error) => {
    throw falseKey(error)
  })
  const keys: HistoryKey[] = []
  for (let at = 0; at + KEY_BYTES <= plain.length; at += KEY_BYTES) {
    keys.push({ id: new DataView(plain.buffer, at).getUint32(0), seed: plain.slice(at + ID_BYTES, at + KEY_BYTES) })
  }
  const newest = keys.at(-1)
  if (!newest || !(await isAnnounced(manifest, newest))) throw falseKey()
  return keys
}

const falseKey = (cause?: unknown) =>
  new CryptoFailure('history_key', 'The server handed out a history key that your account did not announce', { cause })
