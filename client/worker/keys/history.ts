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

/** An X-Wing seed, 32 bytes [Note: H2]. Lists have the newest last. */
export interface HistoryKey {
  id: number
  seed: Uint8Array
}

export interface HistorySeal {
  historyKeyId: number
  sealed: string
}

/** Erasing one list then leaves the other intact. */
export const copyHistory = (keys: HistoryKey[]): HistoryKey[] => keys.map(({ id, seed }) => ({ id, seed: concat(seed) }))

export const historyWrite = (keys: HistoryKey[]): Write => ({
  store: 'sealed',
  key: ROW,
  value: { json: keys.map(({ id }) => id), bytes: encodeFields(...keys.map(({ seed }) => seed)) },
})

/** undefined: the vault has none yet. */
export async function readHistory(vault: Vault): Promise<HistoryKey[] | undefined> {
  const row = await vault.get('sealed', ROW)
  if (!row?.bytes) return undefined
  const seeds = decodeFields(row.bytes)
  return jsonOf(z.array(z.number()), row).flatMap((id, at) => (seeds[at] ? [{ id, seed: seeds[at] }] : []))
}

/** Reads the vault again, because another tab may have stored the key. */
export async function historyKeyOf(live: Live, id: number): Promise<HistoryKey | undefined> {
  const held = live.history.find((key) => key.id === id)
  if (held) return held
  live.history = (await readHistory(live.vault)) ?? live.history
  return live.history.find((key) => key.id === id)
}

/** Never replaces a known key. */
export function mergeHistory(known: HistoryKey[], learned: HistoryKey[]): HistoryKey[] {
  const fresh = learned.filter(({ id }) => !known.some((key) => key.id === id))
  return [...known, ...fresh].sort((a, b) => a.id - b.id)
}

/** True if the seed makes the manifest's history key. */
export async function isAnnounced(manifest: Manifest, { id, seed }: HistoryKey): Promise<boolean> {
  return id === manifest.historyKeyId && toBase64((await keyPairOf(seed)).publicKey) === manifest.historyKey
}

/**
 * Opens up to 24 keys: id (4 bytes), seed (32). Danger: HPKE proves no sender, so the newest seed must make the key that the
 * manifest announces [Note: H2]. Throws 'history_key'.
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
