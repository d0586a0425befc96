import { concat, fromBase64, toBase64, toBase64Url } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { argonOf } from '../keys/password.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase, hkdf, keyPairOf, lockedKey, openFrom, openWith, randomBytes, sealTo, sealWith } from '../primitives/seal.ts'
import type { RowKeys, SealedRowKey } from '../vault/roomlocks.ts'

const SEED_BYTES = 32
const SEAL = 'conclave/lock-seal/v1'
const ROW_KEY = 'conclave/lock-row-key/v1'

/** Argon2id of the chat password: 32 bytes. What the server sees and what opens the lock both come of it. */
export const stretchChatPassword = (password: string, salt: Uint8Array): Promise<Uint8Array> => argonOf(password, salt)

/** What goes to the server as the chat password: 43 characters. */
export const verifierOf = async (root: Uint8Array): Promise<string> => toBase64Url(await hkdf(root, 'conclave/lock-auth/v1'))

/** The chat key: the password's half and the server's half together, so that a device alone cannot try passwords. */
const chatKeyOf = (root: Uint8Array, lockSecret: Uint8Array): Promise<Uint8Array> =>
  hkdf(concat(root, lockSecret), 'conclave/lock/v1')

/** What opens a lock's seal. */
interface Halves {
  root: Uint8Array
  lockSecret: Uint8Array
}

/** Seals the seeds of a lock, the newest first, under the chat key: base64. */
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

/** Opens the seeds of a lock. Throws CryptoFailure('chat_lock') unless they open, and the newest makes the public key. */
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

/** A new seed of a lock, and its public key in base64. */
export async function newSeed(): Promise<{ seed: Uint8Array; publicKey: string }> {
  const seed = randomBytes(SEED_BYTES)
  return { seed, publicKey: toBase64((await keyPairOf(seed)).publicKey) }
}

/** A new row key of this browser, not extractable, and as it is kept: sealed to the lock's public key. */
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

/** The row keys of a lock in this browser, those that its seeds open. */
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
