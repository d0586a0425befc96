import { type Bytes, encodeFields, fromBase64, sameBytes, toBase64, toBase64Url } from '../../../contract/ground/bytes.ts'
import { type HistoryKey, readHistory } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { hkdf } from '../primitives/seal.ts'
import { type Book, bookWrite, readBook, withBook } from './book.ts'
import { withDecision } from './decidedKey.ts'
import { foldName, isNameTaken, isPinnedKey } from './names.ts'
import { decided } from './pins.ts'
import { comparedNow } from './safety.ts'
import { wantedKeys, wantedWrite } from './wantedKeys.ts'

const CODE = 'conclave/contact-code/v1'
const PROOF = 'conclave/contact-proof/v1'
const SECRET_BYTES = 16

/** The showing browser may lack the latest key. */
const KEYS_TRIED = 3

interface Side {
  userId: string
  /** Ed25519, base64. */
  identityKey: string
  username: string
}

/** [Note: I2] */
export interface ScannedCode extends Side {
  qrToken: string
  /** 16 bytes, base64url. */
  secret: string
}

export interface ShownUse extends Side {
  qrToken: string
  /** HMAC-SHA256, base64. */
  proof: string
}

/** Returns the code's secret: 16 bytes, base64url [Note: I2]. */
export async function codeSecret(live: Live, { qrToken }: { qrToken: string }): Promise<string> {
  const newest = (await historyOf(live)).at(-1)
  if (!newest) throw new CryptoFailure('history_key', 'This browser has no history key')
  return toBase64Url(await secretOf(newest, qrToken))
}

/** Returns base64. Throws 'key_changed', 'name_changed', 'name_taken'. */
export async function proveScan(live: Live, { code, username }: { code: ScannedCode; username: string }): Promise<string> {
  await withBook(live, async () => requireFitting((await readBook(live)).book, code))
  const own = { userId: live.userId, identityKey: toBase64(live.identityKey), username }
  return toBase64(await proofOf(fromBase64(code.secret.replaceAll('-', '+').replaceAll('_', '/')), code.qrToken, code, own))
}

/** True if the scanner saw the code. */
export async function isScanProven(live: Live, { qrToken, proof, ...scanner }: ShownUse): Promise<boolean> {
  const own = { userId: live.userId, identityKey: toBase64(live.identityKey), username: '' }
  const given = fromBase64(proof)
  for (const key of (await historyOf(live)).slice(-KEYS_TRIED)) {
    if (sameBytes(await proofOf(await secretOf(key, qrToken), qrToken, own, scanner), given)) return true
  }
  return false
}

/** Pins a person as verified [Note: I2]; `at` is ISO 8601. Throws 'key_changed', 'name_changed', 'name_taken'. */
export function pinScanned(live: Live, { userId, identityKey, username, at }: Side & { at: string }): Promise<void> {
  return withBook(live, async () => {
    const [row, wanted] = await Promise.all([readBook(live), wantedKeys(live)])
    requireFitting(row.book, { userId, identityKey, username })
    const name = foldName(username)
    const pin = row.book.pins[userId]
    const isNew = !pin?.isVerified || pin.differs || pin.username !== name || pin.awaitsDecision
    const found = { identityKey, isVerified: true, differs: false }
    const named = pin?.username === name ? row : withDecision(row, userId, { identityKey, username: name })
    await live.vault.write([
      await comparedNow(live, userId, identityKey),
      ...(isNew ? [bookWrite(decided(named, userId, { ...found, comparedAt: at, isByCode: true }))] : []),
      ...(wanted.includes(identityKey) ? [wantedWrite(wanted, [identityKey])] : []),
    ])
  })
}

function requireFitting(book: Book, { userId, identityKey, username }: Side): void {
  const pin = book.pins[userId]
  const name = foldName(username)
  if (pin && (!isPinnedKey(pin, identityKey) || pin.other))
    throw new CryptoFailure('key_changed', `You know @${name} by another key. Open the chat and compare the safety number`)
  if (pin?.username !== undefined && pin.username !== '' && pin.username !== name)
    throw new CryptoFailure('name_changed', `You know this person as @${pin.username}, and the code says @${name}`)
  if (isNameTaken(book, userId, name)) throw new CryptoFailure('name_taken', `You know somebody else as @${name}`)
}

/** Another tab may have stored a newer key. */
const historyOf = async (live: Live): Promise<HistoryKey[]> => (await readHistory(live.vault)) ?? live.history

const secretOf = async ({ seed }: HistoryKey, qrToken: string) => (await hkdf(seed, CODE, qrToken)).slice(0, SECRET_BYTES)

/** [Note: I2] */
async function proofOf(secret: Bytes, qrToken: string, owner: Side, scanner: Side): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const fields = encodeFields(
    PROOF,
    ...[qrToken, owner.userId, fromBase64(owner.identityKey)],
    ...[scanner.userId, fromBase64(scanner.identityKey), foldName(scanner.username)],
  )
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, fields))
}
