import { z } from 'zod'
import type { SealedBook, SignedBook } from '../../../contract/account/devices.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { base64, counterShape, signedName } from '../../../contract/ground/shapes.ts'
import { parseBounded } from '../keys/document.ts'
import { historyKeyOf } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { exclusive } from '../vault/exclusive.ts'
import type { Write } from '../vault/vault.ts'
import { markOf } from '../vault/vaultMarks.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { openText, sealText } from './sealedbook.ts'

const WORD_MAX = 40
const ALIAS_MAX = 500
const idOf = z.string().max(100)

// [Note: F2] Loose shapes keep newer fields.
const pinShape = z.looseObject({
  identityKey: base64(32),
  isVerified: z.boolean(),
  differs: z.boolean().optional(),
  comparedAt: z.iso.datetime().optional(),
  isByCode: z.boolean().optional(),
  n: counterShape.optional(),
  decidedAt: z.iso.datetime().optional(),
  /** Lower case; '' if the name went to another account [Note: I3]. */
  username: signedName.or(z.literal('')).optional(),
  other: z
    .looseObject({
      identityKey: base64(32),
      username: z.string().max(LIMITS.usernameMax).optional(),
      isByAddress: z.boolean().optional(),
    })
    .optional(),
  /** False if the person knows that the contact is gone [Note: I3]. */
  isContact: z.boolean().optional(),
  isByAddress: z.boolean().optional(),
  /** True: the key was first seen after an empty book began [Note: I1]. */
  awaitsDecision: z.boolean().optional(),
  /** The newest list seen [Note: D2]. */
  manifest: z.looseObject({ version: counterShape, hash: base64(16) }).optional(),
})
export type Pin = z.infer<typeof pinShape>

/** The higher n holds. `on`: public key (X-Wing), salt, seeds, next seeds. `off`: salt, seeds. */
const chatLockShape = z.looseObject({
  n: counterShape,
  kind: z.string().max(WORD_MAX),
  data: z.array(base64(LIMITS.chatLockBytes)).max(LIMITS.chatLockSeedsMax + 1),
  /** The n of the newest giving up; 0: never. */
  gone: counterShape,
})
export type ChatLock = z.infer<typeof chatLockShape>

/** [Note: I4] A word: older builds merge by field. */
const addressShape = z.looseObject({ choice: z.string().max(WORD_MAX), n: counterShape })
export type AddressChoice = z.infer<typeof addressShape>

/** Seconds of new chats [Note: M9]. */
const timerShape = z.looseObject({ seconds: counterShape, n: counterShape })

export const bookShape = z.looseObject({
  /** `identityKey`: Ed25519, base64. */
  pins: z.record(idOf, pinShape),
  aliases: z.record(idOf, z.string().max(ALIAS_MAX)),
  /** [Note: R8] */
  generations: z.record(idOf, counterShape),
  restarts: z.record(idOf, counterShape).optional(),
  asksFirst: z.boolean().optional(),
  /** '' is the original name. */
  deviceNames: z.record(idOf, z.looseObject({ name: z.string().max(LIMITS.deviceNameMax), n: counterShape })).optional(),
  contactNames: z.record(idOf, z.looseObject({ name: z.string().max(LIMITS.displayNameMax), n: counterShape })).optional(),
  blocks: z.record(idOf, z.looseObject({ isBlocked: z.boolean(), n: counterShape })).optional(),
  /** [Note: M8] */
  clears: z.record(idOf, z.number().int().nonnegative()).optional(),
  /** [Note: L1] */
  locks: z.record(idOf, chatLockShape).optional(),
  addressChoice: addressShape.optional(),
  newTimer: timerShape.optional(),
})

export type Book = z.infer<typeof bookShape>

export interface BookRow {
  version: number
  isDirty: boolean
  /** False: the other browsers' trust is unknown. */
  isRead: boolean
  isSigned?: boolean
  /** Decision 0123. */
  isSteady?: boolean
  lockedBy?: Record<string, string>
  /** An own device's message named it, so the server cannot hide it. */
  named?: NamedBook | undefined
  /** A newer build's book, as text [Note: F2]. */
  newer?: { version: number; text: string }
  book: Book
}

export interface NamedBook {
  version: number
  deviceId: string
}

/** Not checked one by one: there may be thousands. */
const entries = <T>() => z.custom<Record<string, T>>((value) => typeof value === 'object' && value !== null)

const rowShape: z.ZodType<BookRow> = z.looseObject({
  version: z.number(),
  isDirty: z.boolean(),
  isRead: z.boolean(),
  isSigned: z.boolean().exactOptional(),
  isSteady: z.boolean().exactOptional(),
  lockedBy: entries<string>().exactOptional(),
  named: z.looseObject({ version: z.number(), deviceId: z.string() }).optional(),
  newer: z.looseObject({ version: z.number(), text: z.string() }).exactOptional(),
  book: z.looseObject({ pins: entries<Pin>(), aliases: entries<string>(), generations: entries<number>() }),
})

export const EMPTY: BookRow = { version: 0, isDirty: false, isRead: false, book: { pins: {}, aliases: {}, generations: {} } }

/** Runs one change at a time, across tabs. Take a room's lock first. */
export const withBook = <T>(live: Live, work: () => Promise<T>): Promise<T> => exclusive(`conclave/${live.userId}/book`, work)

export async function readBook({ vault }: Live): Promise<BookRow> {
  const row = await vault.get('sealed', 'book')
  return row ? jsonOf(rowShape, row) : EMPTY
}

export const seenVersion = ({ version, newer }: BookRow): number => Math.max(version, newer?.version ?? 0)

/** Returns the write of a row read inside `withBook`. */
export const bookWrite = (row: BookRow, stored?: SealedBook): Write => ({
  store: 'sealed',
  key: 'book',
  value: { json: row },
  ...(stored && { mark: { book: markOf(stored.version, stored.sealed ?? '') } }),
})

export function pinIn({ book }: BookRow, userId: string): Uint8Array | undefined {
  const pin = book.pins[userId]
  return pin && fromBase64(pin.identityKey)
}

export const pinOf = async (live: Live, userId: string): Promise<Uint8Array | undefined> => pinIn(await readBook(live), userId)

/** Stores the book version of an own device [Note: I1]. */
export const noteNamedBook = (live: Live, named: NamedBook, removed: string[]): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const last = row.named && !removed.includes(row.named.deviceId) ? row.named.version : 0
    if (Math.max(seenVersion(row), last) >= named.version) return
    await live.vault.write([bookWrite({ ...row, named })])
  })

export interface SealedUnder {
  stored: SignedBook
  text: string
  isStarted?: boolean
  /** Set if less was sealed. */
  book?: Book
}

/** Seals the next version. Throws 'book_unread' if this device never read the book. */
export async function sealBookUnder(live: Live, { id, seed }: { id: number; seed: Uint8Array }): Promise<SealedUnder> {
  const row = await readBook(live)
  if (!row.isRead) throw new CryptoFailure('book_unread', 'The address book could not be read')
  const text = row.newer?.text ?? JSON.stringify(row.book)
  return { stored: await sealText(live, { id, seed }, seenVersion(row) + 1, text), text }
}

/** Returns a book that pins new keys undecided [Note: I1]. */
export const startedAnew = (book: Book = EMPTY.book): Book => ({ ...book, asksFirst: true })

const withoutLists = (book: unknown): string =>
  JSON.stringify(book, (name, value: unknown) => (name === 'manifest' ? undefined : value))

/** Returns the writes of a stored book. Call inside `withBook`. */
export async function bookKeptWrites(
  live: Live,
  { stored, text, isStarted = false, book: reduced }: SealedUnder,
): Promise<Write[]> {
  const row = await readBook(live)
  if (stored.version <= seenVersion(row)) return []
  if (row.newer && !reduced) return [bookWrite({ ...row, newer: { version: stored.version, text } }, stored)]
  const { newer: _, ...known } = row
  const book = reduced ?? (isStarted ? startedAnew(row.book) : row.book)
  const isDirty = JSON.stringify(book) !== text && withoutLists(book) !== withoutLists(JSON.parse(text))
  return [bookWrite({ ...known, version: stored.version, isDirty, isRead: true, isSigned: true, book }, stored)]
}

export interface OpenedBook {
  book: Book
  hasDropped: boolean
}

/** Throws what `openBookText` and `parseBook` throw. */
export async function openBook(live: Live, stored: SealedBook & { sealed: string }): Promise<OpenedBook> {
  const { value, hasDropped } = parseBounded(await openBookText(live, stored), BOOK, bookShape)
  return { book: value, hasDropped }
}

/** Throws 'newer_version' or 'malformed'. */
export const parseBook = (text: string): Book => parseBounded(text, BOOK, bookShape).value

const BOOK = 'conclave/book/v1'

/** Returns the exact text. Throws 'history_key' if the key is missing here, 'seal'. */
export async function openBookText(live: Live, stored: SealedBook & { sealed: string }): Promise<string> {
  const history = await historyKeyOf(live, stored.historyKeyId)
  if (!history) throw new CryptoFailure('history_key', 'The address book is sealed under a key that this device does not have')
  return openText(live.identityKey, history, stored)
}
