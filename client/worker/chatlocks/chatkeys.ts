import { concat, fromBase64, toBase64, toBase64Url } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { argonOf } from '../keys/password.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, keyPairOf, lockedKey, openFrom, openWith, randomBytes, sealTo, sealWith } from '../primitives/seal.ts'
import type { RowKeys, SealedRowKey } from '../vault/roomlocks.ts'

const SEED_BYTES = 32
const SEAL = 'conclave/lock-seal/v1'
const ROW_KEY = 'conclave/lock-row-key/v1'

/** Returns 32 bytes of Argon2id. */
export const stretchChatPassword = (password: string, salt: Uint8Array): Promise<Uint8Array> => argonOf(password, salt)

/** Returns the server's form of the password: 43 characters. */
export const verifierOf = async (root: Uint8Array): Promise<string> => toBase64Url(await hkdf(root, 'conclave/lock-auth/v1'))

/** A device alone cannot try passwords: the server has a half. */
const chatKeyOf = (root: Uint8Array, lockSecret: Uint8Array): Promise<Uint8Array> =>
  hkdf(concat(root, lockSecret), 'conclave/lock/v1')

interface Halves {
  root: Uint8Array
  lockSecret: Uint8Array
}

/** Seals seeds, the newest first, under the chat key; returns base64. */
export async function sealSeeds(
  { identityKey }: Live,
  chatRoomId: string,
  publicKey: string,
  { root, lockSecret }: Halves,
  seeds: Uint8Array[],
): Promise<string> {
  const key = await chatKeyOf(root, lockSecret)
  const plain = concat(...seeds)
  const sealed = await sealWith(key, SEAL, plain, identityKey, chatRoomId, fromBase64(publicKey))
  erase(key, plain)
  return toBase64(sealed)
}

/** Throws 'chat_lock' for a wrong password or other seeds. */
export async function openSeeds(
  { identityKey }: Live,
  chatRoomId: string,
  publicKey: string,
  { root, lockSecret }: Halves,
  sealed: string,
): Promise<Uint8Array[]> {
  const key = await chatKeyOf(root, lockSecret)
  try {
    const plain = await openWith(key, SEAL, fromBase64(sealed), identityKey, chatRoomId, fromBase64(publicKey))
    const seeds = Array.from({ length: Math.floor(plain.length / SEED_BYTES) }, (_, at) =>
      plain.slice(at * SEED_BYTES, (at + 1) * SEED_BYTES),
    )
    erase(plain)
    if (!seeds[0] || toBase64((await keyPairOf(seeds[0])).publicKey) !== publicKey) throw notOpened()
    return seeds
  } catch (error) {
    throw error instanceof CryptoFailure && error.code === 'seal' ? notOpened(error) : error
  } finally {
    erase(key)
  }
}

const notOpened = (cause?: unknown) =>
  new CryptoFailure('chat_lock', 'The server took this password, but it does not open the chat', { cause })

/** Makes a lock's seed and public key (base64). */
export async function newSeed(): Promise<{ seed: Uint8Array; publicKey: string }> {
  const seed = randomBytes(SEED_BYTES)
  return { seed, publicKey: toBase64((await keyPairOf(seed)).publicKey) }
}

/** Makes a row key, not extractable, sealed to the lock's public key. */
export async function newRowKey(
  live: Live,
  chatRoomId: string,
  publicKey: string,
): Promise<{ key: CryptoKey; kept: SealedRowKey }> {
  const bytes = randomBytes(SEED_BYTES)
  const sealed = await sealTo(fromBase64(publicKey), ROW_KEY, bytes, chatRoomId, live.device.id)
  const key = await lockedKey(bytes)
  erase(bytes)
  return { key, kept: { publicKey, sealed: toBase64(sealed) } }
}

/** Rows name their key by its place, so a dropped one leaves its place. */
export const DROPPED: SealedRowKey = { publicKey: '', sealed: '' }

export const isDropped = ({ sealed }: SealedRowKey): boolean => sealed === DROPPED.sealed

/** Returns the row keys that these seeds open. */
export async function openRowKeys(
  live: Live,
  chatRoomId: string,
  kept: readonly SealedRowKey[],
  seeds: Uint8Array[],
): Promise<RowKeys> {
  const pairs = await Promise.all(seeds.map(async (seed) => ({ seed, publicKey: toBase64((await keyPairOf(seed)).publicKey) })))
  return Promise.all(
    kept.map(async ({ publicKey, sealed }) => {
      const seed = pairs.find((pair) => pair.publicKey === publicKey)?.seed
      if (!seed) return undefined
      const bytes = await openFrom(seed, ROW_KEY, fromBase64(sealed), chatRoomId, live.device.id)
      const key = await lockedKey(bytes)
      erase(bytes)
      return key
    }),
  )
}
