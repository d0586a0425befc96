import type { Live } from '../keys/live.ts'
import { type BookRow, bookWrite, type Pin, readBook, withBook } from './book.ts'
import type { Mismatch } from './mismatch.ts'
import { foldName, isPinnedKey, mismatchOf, type ShownAccount } from './names.ts'
import { peerOf } from './peers.ts'
import { decided } from './pins.ts'
import { wantedKeys, wantedWrite } from './wantedKeys.ts'

export interface KnownAccount {
  isVerified: boolean
  /** ISO 8601. */
  comparedAt: string | null
  isByCode: boolean
  /** Lower case. */
  username: string | null
  mismatch: Mismatch | null
  alias: string | null
  isByAddress: boolean
  /** This browser's choice first. */
  choices: KeyChoice[] | null
}

interface KeyChoice {
  /** Ed25519, base64. */
  identityKey: string
  username: string
  isByAddress: boolean
}

/** Compares accounts with the pins. Nameless pins (older builds) get a name [Note: I3]. */
export function compareAccounts(live: Live, shown: ShownAccount[]): Promise<KnownAccount[]> {
  return withBook(live, async () => {
    const [before, wanted] = await Promise.all([readBook(live), wantedKeys(live)])
    const { row, found } = withAddresses(withContacts(await withFirstNames(live, before, shown), shown), shown, wanted)
    if (row !== before) await live.vault.write([bookWrite(row), ...(found.length > 0 ? [wantedWrite(wanted, found)] : [])])
    const { pins, contactNames } = row.book
    const holders = holdersIn(pins)
    return shown.map(({ userId, ...account }) => {
      const pin = pins[userId]
      const isVerified = pin?.isVerified === true && isPinnedKey(pin, account.identityKey)
      return {
        isVerified,
        comparedAt: (isVerified && pin.comparedAt) || null,
        isByCode: isVerified && pin.isByCode === true,
        username: pin?.username || null,
        alias: contactNames?.[userId]?.name || null,
        isByAddress: pin?.isByAddress === true && isPinnedKey(pin, account.identityKey),
        choices: pin?.other
          ? [pin, pin.other].map((one) => ({
              identityKey: one.identityKey,
              username: one.username || foldName(account.username),
              isByAddress: one.isByAddress === true,
            }))
          : null,
        mismatch: mismatchOf(pin, account, (name) => (holders.get(name) ?? userId) !== userId),
      }
    })
  })
}

const holdersIn = (pins: Record<string, Pin>): Map<string, string> =>
  new Map(Object.entries(pins).flatMap(([userId, { username }]) => (username ? [[username, userId]] : [])))

async function withFirstNames(live: Live, row: BookRow, shown: ShownAccount[]): Promise<BookRow> {
  const pins: Record<string, Pin> = { ...row.book.pins }
  const unnamed = shown.filter(({ userId, identityKey }) => {
    const pin = pins[userId]
    return pin ? pin.username === undefined && isPinnedKey(pin, identityKey) : false
  })
  if (unnamed.length === 0) return row
  const holders = holdersIn(pins)
  const peers = await Promise.all(unnamed.map(({ userId }) => peerOf(live, userId)))
  for (const [at, { userId, username }] of unnamed.entries()) {
    const pin = pins[userId]
    const name = peers[at]?.manifest.username ?? foldName(username)
    if (!pin || (holders.get(name) ?? userId) !== userId) continue
    holders.set(name, userId)
    pins[userId] = { ...pin, username: name }
  }
  return { ...row, isDirty: true, book: { ...row.book, pins } }
}

function withContacts(row: BookRow, shown: ShownAccount[]): BookRow {
  const isNew = ({ userId, identityKey, isContact }: ShownAccount) => {
    const pin = row.book.pins[userId]
    return isContact === true && pin !== undefined && pin.isContact !== true && isPinnedKey(pin, identityKey)
  }
  const pins = shown.filter(isNew).flatMap(({ userId }) => {
    const pin = row.book.pins[userId]
    return pin ? [[userId, { ...pin, isContact: true }] as const] : []
  })
  if (pins.length === 0) return row
  return { ...row, isDirty: true, book: { ...row.book, pins: { ...row.book.pins, ...Object.fromEntries(pins) } } }
}

function withAddresses(row: BookRow, shown: ShownAccount[], wanted: string[]): { row: BookRow; found: string[] } {
  return shown.reduce<{ row: BookRow; found: string[] }>(
    (now, { userId, identityKey }) => {
      const pin = now.row.book.pins[userId]
      if (!identityKey || !pin || !wanted.includes(identityKey) || !isPinnedKey(pin, identityKey)) return now
      const { isVerified } = pin
      return { row: decided(now.row, userId, { identityKey, isVerified, isByAddress: true }), found: [...now.found, identityKey] }
    },
    { row, found: [] },
  )
}

/** Returns missing contacts that the person did not remove [Note: I3]. */
export async function vanishedContacts(
  live: Live,
  { listedIds }: { listedIds: string[] },
): Promise<{ userId: string; username: string }[]> {
  const listed = new Set(listedIds)
  const { pins } = (await readBook(live)).book
  return Object.entries(pins).flatMap(([userId, { username, isContact }]) =>
    isContact && username && !listed.has(userId) ? [{ userId, username }] : [],
  )
}
