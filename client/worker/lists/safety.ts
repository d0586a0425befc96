import { z } from 'zod'
import { fromBase64, sameBytes, toBase64Url } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { sha512 } from '../primitives/seal.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { bookWrite, readBook, withBook } from './book.ts'
import { peerOf } from './peers.ts'
import { decided } from './pins.ts'

const GROUPS = 12
const GROUP_BYTES = 5
const GROUP_DIGITS = 5
const CODE_PREFIX = 'conclave:safety:1:'
const CODE_BYTES = 32
const CODE = new RegExp(`^${CODE_PREFIX}[A-Za-z0-9_-]{43}$`)

/** [Note: I2] */
export interface SafetyNumber {
  /** 60 digits, the same on both sides. */
  digits: string
  code: string
  isVerified: boolean
  differs: boolean
  /** ISO 8601. */
  comparedAt: string | null
  isByCode: boolean
  /** [Note: I3] */
  isNameSigned: boolean
  /** Base64. */
  identityKey: string
  deviceIds: string[]
}

/** Throws 'no_key' if the account has none. */
export async function safetyNumber(live: Live, { userId }: { userId: string }): Promise<SafetyNumber> {
  const pin = (await readBook(live)).book.pins[userId]
  if (!pin) throw new CryptoFailure('no_key', 'The key of this person is not known yet')
  const manifest = (await peerOf(live, userId))?.manifest
  const hash = numberOf([live.userId, live.identityKey], [userId, fromBase64(pin.identityKey)])
  return {
    digits: digitsOf(hash),
    code: codeOf(hash),
    isVerified: pin.isVerified,
    differs: pin.differs === true,
    comparedAt: pin.comparedAt ?? null,
    isByCode: pin.isByCode === true,
    isNameSigned: manifest?.username !== undefined,
    identityKey: pin.identityKey,
    deviceIds: manifest?.devices.map(({ id }) => id) ?? [],
  }
}

/** Compares a scanned code. Throws 'no_key'. */
export async function compareSafetyCode(
  live: Live,
  { userId, code }: { userId: string; code: string },
): Promise<'same' | 'different' | 'not_a_code'> {
  const mine = await safetyNumber(live, { userId })
  if (!CODE.test(code.trim())) return 'not_a_code'
  return code.trim() === mine.code ? 'same' : 'different'
}

interface Compared {
  userId: string
  /** Base64. */
  identityKey: string
  isVerified: boolean
  /** True: nothing is sent. */
  differs?: boolean
  /** ISO 8601. */
  at?: string
}

/** Stores a comparison's outcome. Throws 'key_changed' if another key is pinned. */
export function setVerified(live: Live, { userId, identityKey, isVerified, differs = false, at }: Compared): Promise<void> {
  return withBook(live, async () => {
    const row = await readBook(live)
    const pin = row.book.pins[userId]
    if (!pin || !sameBytes(fromBase64(pin.identityKey), fromBase64(identityKey)))
      throw new CryptoFailure('key_changed', 'This person’s key has changed. Compare the number again')
    const compared = await comparedHere(live)
    const note = comparedWrite(isVerified ? { ...compared, [userId]: pin.identityKey } : without(compared, userId))
    const isNew = pin.isVerified !== isVerified || (pin.differs ?? false) !== differs || pin.other
    const decision = { identityKey: pin.identityKey, isVerified, differs, ...(at && { comparedAt: at, isByCode: false }) }
    await live.vault.write([note, ...(isNew ? [bookWrite(decided(row, userId, decision))] : [])])
  })
}

const COMPARED = 'compared'
const comparedShape = z.record(z.string(), z.string())

/** User ids with base64 keys. */
async function comparedHere({ vault }: Live): Promise<Record<string, string>> {
  const row = await vault.get('sealed', COMPARED)
  return row ? jsonOf(comparedShape, row) : {}
}

const comparedWrite = (compared: Record<string, string>): Write => ({ store: 'sealed', key: COMPARED, value: { json: compared } })

/** Returns the mark of a key compared here. */
export const comparedNow = async (live: Live, userId: string, identityKey: string): Promise<Write> =>
  comparedWrite({ ...(await comparedHere(live)), [userId]: identityKey })

const without = (compared: Record<string, string>, userId: string): Record<string, string> =>
  Object.fromEntries(Object.entries(compared).filter(([id]) => id !== userId))

/** Removes foreign marks, which a thief may have set [Note: I1]. */
export function dropForeignMarks(live: Live): Promise<void> {
  return withBook(live, async () => {
    const [before, compared] = await Promise.all([readBook(live), comparedHere(live)])
    const foreign = Object.entries(before.book.pins).filter(([id, pin]) => pin.isVerified && compared[id] !== pin.identityKey)
    if (foreign.length === 0) return
    const { book } = before
    const unmarked = foreign.map(([id, pin]) => {
      const alone = { ...before, book: { ...book, pins: { [id]: pin } } }
      return [id, decided(alone, id, { identityKey: pin.identityKey, isVerified: false }).book.pins[id] ?? pin] as const
    })
    const pins = { ...book.pins, ...Object.fromEntries(unmarked) }
    await live.vault.write([bookWrite({ ...before, isDirty: true, book: { ...book, pins } })])
  })
}

type Side = [userId: string, identityKey: Uint8Array]

function numberOf(one: Side, other: Side): Uint8Array {
  const [first, second] = one[0] < other[0] ? [one, other] : [other, one]
  return sha512('conclave/safety-number/v1', ...first, ...second)
}

function digitsOf(hash: Uint8Array): string {
  const groups = Array.from({ length: GROUPS }, (_, at) => {
    const bytes = hash.subarray(at * GROUP_BYTES, (at + 1) * GROUP_BYTES)
    const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
    return String(value % 10 ** GROUP_DIGITS).padStart(GROUP_DIGITS, '0')
  })
  return groups.join('')
}

const codeOf = (hash: Uint8Array): string => CODE_PREFIX + toBase64Url(hash.subarray(0, CODE_BYTES))
