import { ed25519 } from '@noble/curves/ed25519.js'
import { hkdf as hkdfOf } from '@noble/hashes/hkdf.js'
import { sha256 as sha256Of, sha512 as sha512Of } from '@noble/hashes/sha2.js'
import { type Bytes, concat, encodeFields } from '../../../contract/ground/bytes.ts'
import { signQuickly, verifyQuickly, verifyStrict } from './ed25519.ts'
import { CryptoFailure } from './failure.ts'
import { loadHpke } from './loadHpke.ts'

/** Names the purpose of an operation, so that a result for one purpose is invalid for another. */
export type Label = `conclave/${string}/v1`
/** A length-prefixed part after the label. */
type Field = Uint8Array | string

const NONCE_BYTES = 12
const ENCAPSULATION_BYTES = 1120
const LENGTH_BYTES = 4
const PAD_UNIT_BYTES = 256

/** Random bytes, at most 65,536 at once. */
export const randomBytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))

/** SHA-256 of the bytes alone, for a field of what is signed: 32 bytes. */
export const digestOf = (bytes: Uint8Array): Bytes => concat(sha256Of(bytes))

/** SHA-256 over the label and the fields: 32 bytes. */
export const sha256 = (label: Label, ...fields: Field[]): Bytes => concat(sha256Of(encodeFields(label, ...fields)))

/** SHA-512 over the label and the fields: 64 bytes. */
export const sha512 = (label: Label, ...fields: Field[]): Bytes => concat(sha512Of(encodeFields(label, ...fields)))

/**
 * HKDF-SHA256 (RFC 5869) without salt, with `secret` as input, label and fields as info: 32 bytes. The browser's own is two calls, and
 * the way to it and back takes longer than the hashes.
 */
export const hkdf = async (secret: Uint8Array, label: Label, ...fields: Field[]): Promise<Bytes> =>
  concat(hkdfOf(sha256Of, secret, undefined, encodeFields(label, ...fields), 32))

/** Imports a 32-byte AES-256-GCM key as non-extractable. It stays in memory. */
export const lockedKey = (key: Uint8Array): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', concat(key), 'AES-GCM', false, ['encrypt', 'decrypt'])

/** Seals by AES-256-GCM: a random nonce (12 bytes), then the ciphertext. It opens only with the same key, label and context. */
export async function sealWith(
  key: Uint8Array | CryptoKey,
  label: Label,
  plaintext: Uint8Array,
  ...context: Field[]
): Promise<Bytes> {
  const nonce = randomBytes(NONCE_BYTES)
  const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: encodeFields(label, ...context) }
  const aes = key instanceof Uint8Array ? await lockedKey(key) : key
  return concat(nonce, new Uint8Array(await crypto.subtle.encrypt(algorithm, aes, concat(plaintext))))
}

/** Opens the result of `sealWith`. Throws CryptoFailure('seal'). */
export async function openWith(
  key: Uint8Array | CryptoKey,
  label: Label,
  sealed: Uint8Array,
  ...context: Field[]
): Promise<Bytes> {
  const nonce = sealed.slice(0, NONCE_BYTES)
  const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: encodeFields(label, ...context) }
  const aes = key instanceof Uint8Array ? await lockedKey(key) : key
  try {
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, aes, sealed.slice(NONCE_BYTES)))
  } catch (error) {
    throw new CryptoFailure('seal', `The seal ${label} does not open`, { cause: error })
  }
}

/** The X-Wing key pair of a 32-byte seed (DeriveKeyPair of draft-connolly-cfrg-xwing-kem); the public key is 1216 bytes. */
export async function keyPairOf(seed: Uint8Array): Promise<{ publicKey: Bytes; seed: Bytes }> {
  const { accountSuite: suite } = await loadHpke()
  const pair = await suite.kem.deriveKeyPair(concat(seed))
  return { publicKey: new Uint8Array(await suite.kem.serializePublicKey(pair.publicKey)), seed: concat(seed) }
}

/** Seals by HPKE base mode (RFC 9180) to an X-Wing public key: encapsulated key (1120 bytes), ciphertext. Does not prove the sender. */
export async function sealTo(publicKey: Uint8Array, label: Label, plaintext: Uint8Array, ...context: Field[]): Promise<Bytes> {
  const { accountSuite: suite } = await loadHpke()
  try {
    const recipientPublicKey = await suite.kem.deserializePublicKey(concat(publicKey))
    const { enc, ct } = await suite.seal({ recipientPublicKey, info: encodeFields(label, ...context) }, concat(plaintext))
    return concat(new Uint8Array(enc), new Uint8Array(ct))
  } catch (error) {
    throw new CryptoFailure('seal', `Nothing can be sealed to this key for ${label}`, { cause: error })
  }
}

/** Opens the result of `sealTo` for the public key of this seed. Throws CryptoFailure('seal'). */
export async function openFrom(seed: Uint8Array, label: Label, sealed: Uint8Array, ...context: Field[]): Promise<Bytes> {
  const { accountSuite: suite } = await loadHpke()
  const { privateKey } = await suite.kem.deriveKeyPair(concat(seed))
  const enc = sealed.slice(0, ENCAPSULATION_BYTES)
  try {
    const recipient = { recipientKey: privateKey, enc, info: encodeFields(label, ...context) }
    return new Uint8Array(await suite.open(recipient, sealed.slice(ENCAPSULATION_BYTES)))
  } catch (error) {
    throw new CryptoFailure('seal', `The seal ${label} does not open`, { cause: error })
  }
}

/** The Ed25519 public key (32 bytes) of a 32-byte private seed. */
export const publicKeyOf = (privateSeed: Uint8Array): Bytes => concat(ed25519.getPublicKey(privateSeed))

/** Signs the label and the fields by Ed25519: 64 bytes. */
export const sign = (privateSeed: Uint8Array, label: Label, ...fields: Field[]): Bytes =>
  concat(ed25519.sign(encodeFields(label, ...fields), privateSeed))

/** Signs as `sign` does, with the browser's own Ed25519 if it has one. */
export const signSoon = (privateSeed: Uint8Array, label: Label, ...fields: Field[]): Promise<Bytes> =>
  signQuickly(privateSeed, encodeFields(label, ...fields))

/** True if the signature is valid by the strict rules of RFC 8032. */
export const verify = (publicKey: Uint8Array, signature: Uint8Array, label: Label, ...fields: Field[]): boolean =>
  verifyStrict(publicKey, signature, encodeFields(label, ...fields))

/** Verifies as `verify` does, with the browser's own Ed25519 if it has one. */
export const verifySoon = (publicKey: Uint8Array, signature: Uint8Array, label: Label, ...fields: Field[]): Promise<boolean> =>
  verifyQuickly(publicKey, signature, encodeFields(label, ...fields))

/** Pads to 256 x 2^n bytes: the length (4 bytes, big endian), the bytes, zeros. Hides all but the size class. */
export function pad(bytes: Uint8Array): Bytes {
  const padded = new Uint8Array(paddedSize(bytes.length))
  new DataView(padded.buffer).setUint32(0, bytes.length)
  padded.set(bytes, LENGTH_BYTES)
  return padded
}

/** Reverses `pad`. Throws CryptoFailure('padding') for anything that `pad` does not make. */
export function unpad(padded: Uint8Array): Bytes {
  if (padded.length < PAD_UNIT_BYTES) throw new CryptoFailure('padding', 'The padding is cut short')
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0)
  const end = LENGTH_BYTES + length
  if (paddedSize(length) !== padded.length || padded.subarray(end).some((byte) => byte !== 0)) {
    throw new CryptoFailure('padding', 'The padding is not as it must be')
  }
  return padded.slice(LENGTH_BYTES, end)
}

function paddedSize(length: number): number {
  let size = PAD_UNIT_BYTES
  while (size < length + LENGTH_BYTES) size *= 2
  return size
}

/** Overwrites secrets that are no longer needed. Copies that the JavaScript engine has made remain. */
export function erase(...secrets: Uint8Array[]): void {
  for (const secret of secrets) secret.fill(0)
}
