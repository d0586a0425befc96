import type { SealedBook, SignedBook } from '../../../contract/account/devices.ts'
import type { Manifest } from '../../../contract/account/documents.ts'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { digestOf, sign, verify } from '../primitives/seal.ts'
import type { Live } from './live.ts'

const SIGNATURE = 'conclave/book-signature/v1'

type Unsigned = Pick<SignedBook, 'version' | 'historyKeyId' | 'sealed'>

/** Signs with the leaf key [Note: I1]. */
export function signBook({ device, identityKey }: Pick<Live, 'device' | 'identityKey'>, book: Unsigned): SignedBook {
  const signature = sign(device.leafSeed, SIGNATURE, ...fieldsOf(identityKey, book))
  return { ...book, deviceId: device.id, signature: toBase64(signature) }
}

/**
 * Throws 'book_signer' for a signer that the manifest lacks, 'signature' for a wrong signature. Danger: passes unsigned books
 * of older builds, which the caller must check.
 */
export function requireBookSigner({ identityKey, devices }: Manifest, { deviceId, signature, ...book }: SealedBook): void {
  if (book.sealed === null || deviceId === null || signature === null) return
  const device = devices.find(({ id }) => id === deviceId)
  if (!device) throw new CryptoFailure('book_signer', 'The address book was signed by a browser that is not yours')
  const fields = fieldsOf(fromBase64(identityKey), { ...book, sealed: book.sealed })
  if (!verify(fromBase64(device.leafKey), fromBase64(signature), SIGNATURE, ...fields))
    throw new CryptoFailure('signature', 'The signature of the address book does not match')
}

const fieldsOf = (identityKey: Uint8Array, { version, historyKeyId, sealed }: Unsigned) =>
  [identityKey, String(version), String(historyKeyId), digestOf(fromBase64(sealed))] as const
