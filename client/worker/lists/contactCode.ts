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

/** History keys by which a proof is tried, the newest ones: a browser that shows the code may lack the latest. */
const KEYS_TRIED = 3

/** Somebody as one side of a contact code knows them. */
interface Side {
  userId: string
  /** Ed25519, base64. */
  identityKey: string
  username: string
}

/** What a scanned contact code says [Note: I2]. */
export interface ScannedCode extends Side {
  qrToken: string
  /** 16 bytes, base64url. */
  secret: string
}

/** The use of an own code, as the server shows it. */
export interface ShownUse extends Side {
  qrToken: string
  /** HMAC-SHA256, base64. */
  proof: string
}

/** The secret that this account's code with the token shows beside it, base64url: 16 bytes, the same in every browser [Note: I2]. */
export async function codeSecret(live: Live, { qrToken }: { qrToken: string }): Promise<string> {
  const newest = (await historyOf(live)).at(-1)
  if (!newest) throw new CryptoFailure('history_key', 'This browser has no history key')
  return toBase64Url(await secretOf(newest, qrToken))
}

/**
 * Proves to the owner of a scanned code that this account saw it; returns base64. `username` is the own one. Throws CryptoFailure
 * 'key_changed', 'name_changed' or 'name_taken' if the code is of another person than the one known by its id or name.
 */
export async function proveScan(live: Live, { code, username }: { code: ScannedCode; username: string }): Promise<string> {
  await withBook(live, async () => requireFitting((await readBook(live)).book, code))
  const own = { userId: live.userId, identityKey: toBase64(live.identityKey), username }
  return toBase64(await proofOf(fromBase64(code.secret.replaceAll('-', '+').replaceAll('_', '/')), code.qrToken, code, own))
}

/** True if whoever used the own code saw it, by what the server shows of them. */
export async function isScanProven(live: Live, { qrToken, proof, ...scanner }: ShownUse): Promise<boolean> {
  const own = { userId: live.userId, identityKey: toBase64(live.identityKey), username: '' }
  const given = fromBase64(proof)
  for (const key of (await historyOf(live)).slice(-KEYS_TRIED)) {
    if (sameBytes(await proofOf(await secretOf(key, qrToken), qrToken, own, scanner), given)) return true
  }
  return false
}

/**
 * Pins key and name of a person who stands here with the code, as verified at this time (ISO 8601) [Note: I2]. Throws CryptoFailure 'key_changed',
 * 'name_changed' or 'name_taken' if another key or name is known: that is for the person to decide, not for a code.
 */
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

/** The account's history keys, newest last. Another tab may have stored a newer one. */
const historyOf = async (live: Live): Promise<HistoryKey[]> => (await readHistory(live.vault)) ?? live.history

const secretOf = async ({ seed }: HistoryKey, qrToken: string) => (await hkdf(seed, CODE, qrToken)).slice(0, SECRET_BYTES)

/** HMAC-SHA256 over token, owner's id and key, scanner's id, key and username [Note: I2]. */
async function proofOf(secret: Bytes, qrToken: string, owner: Side, scanner: Side): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const fields = encodeFields(
    PROOF,
    ...[qrToken, owner.userId, fromBase64(owner.identityKey)],
    ...[scanner.userId, fromBase64(scanner.identityKey), foldName(scanner.username)],
  )
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, fields))
}
