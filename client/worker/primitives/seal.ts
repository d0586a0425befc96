import { ed25519 } from '@noble/curves/ed25519.js'
import { hkdf as hkdfOf } from '@noble/hashes/hkdf.js'
import { sha256 as sha256Of, sha512 as sha512Of } from '@noble/hashes/sha2.js'
import { type Bytes, concat, encodeFields } from '../../../contract/ground/bytes.ts'
import { signQuickly, verifyQuickly, verifyStrict } from './ed25519.ts'
import { CryptoFailure } from './failure.ts'
import { loadHpke } from './loadHpke.ts'
import type { Bytes32, Bytes64, XWingPublicKey } from './sizes.ts'

/** The purpose of an operation, which covers `encodeFields(label, ...fields)`: its results are invalid for other labels. */
export type Label = `conclave/${string}/v1`
type Field = Uint8Array | string

const NONCE_BYTES = 12
const ENCAPSULATION_BYTES = 1120
const LENGTH_BYTES = 4
const PAD_UNIT_BYTES = 256

/** Makes at most 65,536. */
export const randomBytes = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length))

/** SHA-256 without a label: only for a field of what is signed. */
export const digestOf = (bytes: Uint8Array): Bytes32 => concat(sha256Of(bytes))

/** Gives what `digestOf` gives. */
export const runningDigest = () => sha256Of.create()

export const sha256 = (label: Label, ...fields: Field[]): Bytes32 => concat(sha256Of(encodeFields(label, ...fields)))

export const sha512 = (label: Label, ...fields: Field[]): Bytes64 => concat(sha512Of(encodeFields(label, ...fields)))

/** HKDF-SHA256 (RFC 5869) without salt; label and fields are the info [Note: C2]. */
export const hkdf = async (secret: Uint8Array, label: Label, ...fields: Field[]): Promise<Bytes32> =>
  concat(hkdfOf(sha256Of, secret, undefined, encodeFields(label, ...fields), 32))

/** Imports 32 bytes for AES-256-GCM, non-extractable. */
export const lockedKey = (key: Uint8Array): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', concat(key), 'AES-GCM', false, ['encrypt', 'decrypt'])

/** AES-256-GCM under 32 bytes: random nonce (12 bytes), ciphertext, tag (16). Opens only with the same label and context. */
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

/** Throws 'seal' for another key, label or context, or changed bytes. */
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

/** The X-Wing pair of a 32-byte seed (draft-connolly-cfrg-xwing-kem, DeriveKeyPair). */
export async function keyPairOf(seed: Uint8Array): Promise<{ publicKey: XWingPublicKey; seed: Bytes32 }> {
  const { accountSuite: suite } = await loadHpke()
  const pair = await suite.kem.deriveKeyPair(concat(seed))
  return { publicKey: new Uint8Array(await suite.kem.serializePublicKey(pair.publicKey)), seed: concat(seed) }
}

/**
 * HPKE base mode (RFC 9180): encapsulated key (1120 bytes), ciphertext. Danger: it proves no sender [Note: C3]. Throws 'seal'.
 */
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

/** Opens with the recipient's 32-byte seed. Throws 'seal'. */
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

export const publicKeyOf = (privateSeed: Uint8Array): Bytes32 => concat(ed25519.getPublicKey(privateSeed))

/** Ed25519 by a 32-byte seed (RFC 8032). */
export const sign = (privateSeed: Uint8Array, label: Label, ...fields: Field[]): Bytes64 =>
  concat(ed25519.sign(encodeFields(label, ...fields), privateSeed))

/** Makes the bytes of `sign`, by the browser if it has Ed25519. */
export const signSoon = (privateSeed: Uint8Array, label: Label, ...fields: Field[]): Promise<Bytes64> =>
  signQuickly(privateSeed, encodeFields(label, ...fields))

/** Follows the strict rules [Note: C4]. */
export const verify = (publicKey: Uint8Array, signature: Uint8Array, label: Label, ...fields: Field[]): boolean =>
  verifyStrict(publicKey, signature, encodeFields(label, ...fields))

/** Gives the result of `verify`, by the browser if it has Ed25519. */
export const verifySoon = (publicKey: Uint8Array, signature: Uint8Array, label: Label, ...fields: Field[]): Promise<boolean> =>
  verifyQuickly(publicKey, signature, encodeFields(label, ...fields))

/** Prefixes the length and fills with zeros up to 256 x 2^n bytes [Note: C6]. */
export function pad(bytes: Uint8Array): Bytes {
  const padded = new Uint8Array(paddedSize(bytes.length))
  new DataView(padded.buffer).setUint32(0, bytes.length)
  padded.set(bytes, LENGTH_BYTES)
  return padded
}

/** Throws 'padding' for whatever `pad` does not make. */
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

/** Overwrites secrets. Copies that the engine made remain. */
export function erase(...secrets: Uint8Array[]): void {
  for (const secret of secrets) secret.fill(0)
}
