import { z } from 'zod'
import type { SealedBook, SignedBook } from '../../../contract/account/devices.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { base64, counterShape, signedName } from '../../../contract/ground/shapes.ts'
import { parseDocument } from '../keys/document.ts'
import { historyKeyOf } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { exclusive } from '../vault/exclusive.ts'
import type { Write } from '../vault/vault.ts'
import { markOf } from '../vault/vaultMarks.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { openText, sealText } from './sealedbook.ts'

// Loose shapes keep the fields that a newer build has added to a pin or to the book [Note: F2].
const pinShape = z.looseObject({
  identityKey: base64(32),
  /** The person compared the safety number of this key. */
  isVerified: z.boolean(),
  /** True if the person compared the safety number of this key and it was another one: nothing is sent until they compare again. */
  differs: z.boolean().optional(),
  /** When the person last compared it, by the clock of the browser where they did. */
  comparedAt: z.iso.datetime().optional(),
  /** True if that was by a contact code, which one of the two scanned. */
  isByCode: z.boolean().optional(),
  /** The number of the person's decisions behind this pin; absent for a key that was only the first one seen. */
  n: counterShape.optional(),
  /** The time of the person's decision, in pins of older builds, which have no count. */
  decidedAt: z.iso.datetime().optional(),
  /** In lower case: the signed name, or the first one shown. '' if the person gave the name to another account [Note: I3]. */
  username: signedName.or(z.literal('')).optional(),
  /**
   * The key or name that another browser of the account has pinned, or the key of an entered onion address, while the person
   * has decided for neither.
   */
  other: z
    .looseObject({
      identityKey: base64(32),
      username: z.string().max(LIMITS.usernameMax).optional(),
      /** The key is the one in an onion address that the person entered; the account was pinned to another key before. */
      isByAddress: z.boolean().optional(),
    })
    .optional(),
  /**
   * True if the account was listed as a contact that both sides or this one accepted; false once the person knows that it is gone
   * [Note: I3].
   */
  isContact: z.boolean().optional(),
  /** The key is the one in an onion address that the person entered. */
  isByAddress: z.boolean().optional(),
  /** The first key seen since the book was started anew: nothing is sent before the person has decided for it [Note: I1]. */
  awaitsDecision: z.boolean().optional(),
  /**
   * The newest device list that this browser has seen of the account: 16 bytes of hash. A change of it alone never makes the book
   * dirty [Note: D2].
   */
  manifest: z.looseObject({ version: counterShape, hash: base64(16) }).optional(),
})
export type Pin = z.infer<typeof pinShape>

/**
 * The lock of a chat, and how often it was changed: the higher n holds. Builds that do not know it merge books field by field, so
 * every entry has all of them. `on`: data is the public key (X-Wing), the salt of the chat password, the lock's seeds under the chat
 * key, and the same under the next one while the password is changed. `off`: the salt and the seeds, which open what other browsers
 * have sealed. `gone`: the person gave the history up.
 */
const chatLockShape = z.looseObject({
  n: counterShape,
  kind: z.string(),
  data: z.array(base64(LIMITS.chatLockBytes)).max(LIMITS.chatLockSeedsMax + 1),
  /** The n of the newest giving up; 0: never. What was sealed before it opens no more. */
  gone: counterShape,
})
export type ChatLock = z.infer<typeof chatLockShape>

const bookShape = z.looseObject({
  /** By user id; `identityKey` is Ed25519, base64. */
  pins: z.record(z.string(), pinShape),
  aliases: z.record(z.string(), z.string()),
  /** The newest generation this account has seen of each room; the person must confirm a change to any other [Note: R8]. */
  generations: z.record(z.string(), counterShape),
  /** How often the person restarted each room at the state that the server showed [Note: R8]. */
  restarts: z.record(z.string(), counterShape).optional(),
  /** True if the book was started empty because none held: every key first seen since then awaits the person's decision. */
  asksFirst: z.boolean().optional(),
  /** By device id, the name that the person gave it since it was added, and how often. '' is the one that it came with. */
  deviceNames: z.record(z.string(), z.looseObject({ name: z.string().max(LIMITS.deviceNameMax), n: counterShape })).optional(),
  /** By user id, the alias that the person gave somebody, and how often it was changed. '' is none. */
  contactNames: z.record(z.string(), z.looseObject({ name: z.string().max(LIMITS.displayNameMax), n: counterShape })).optional(),
  /** By user id, whether the person blocks somebody, and how often that was changed: withheld messages are explained by it [Note: M8]. */
  blocks: z.record(z.string(), z.looseObject({ isBlocked: z.boolean(), n: counterShape })).optional(),
  /** By room id, the seq up to which the person has cleared it: each browser deletes what it has to there [Note: M8]. */
  clears: z.record(z.string(), z.number().int().nonnegative()).optional(),
  /** By room id, the lock of a chat, or that it has none any more [Note: L1]. */
  locks: z.record(z.string(), chatLockShape).optional(),
})

/** The address book, which all browsers of an account share [Note: I1]. */
export type Book = z.infer<typeof bookShape>

export interface BookRow {
  /** The version on the server that this copy contains. `isDirty` means that the copy has changes the server lacks. */
  version: number
  isDirty: boolean
  /**
   * True if the server's copy was read here at least once. Before that, this browser cannot know whom the other browsers trust.
   */
  isRead: boolean
  /** True if a signed book was read or written here: an unsigned book from the server is then refused. */
  isSigned?: boolean
  /** A newer version than this copy and the own device that named it, so that the server cannot hide that version. */
  named?: NamedBook | undefined
  /** The server's book, if this build does not know its form: its text is passed on unchanged, and never replaced [Note: F2]. */
  newer?: { version: number; text: string }
  book: Book
}

export interface NamedBook {
  version: number
  deviceId: string
}

/**
 * Checks only that a part of the book is an object: each entry is checked when it comes from the server, and there may be
 * thousands.
 */
const entries = <T>() => z.custom<Record<string, T>>((value) => typeof value === 'object' && value !== null)

const rowShape: z.ZodType<BookRow> = z.looseObject({
  version: z.number(),
  isDirty: z.boolean(),
  isRead: z.boolean(),
  isSigned: z.boolean().exactOptional(),
  named: z.looseObject({ version: z.number(), deviceId: z.string() }).optional(),
  newer: z.looseObject({ version: z.number(), text: z.string() }).exactOptional(),
  book: z.looseObject({ pins: entries<Pin>(), aliases: entries<string>(), generations: entries<number>() }),
})

export const EMPTY: BookRow = { version: 0, isDirty: false, isRead: false, book: { pins: {}, aliases: {}, generations: {} } }

/**
 * Runs one change of the book, and of the manifests that rest on it, at a time, across tabs. If a room's lock is needed too, take
 * the room's first.
 */
export const withBook = <T>(live: Live, work: () => Promise<T>): Promise<T> => exclusive(`conclave/${live.userId}/book`, work)

export async function readBook({ vault }: Live): Promise<BookRow> {
  const row = await vault.get('sealed', 'book')
  return row ? jsonOf(rowShape, row) : EMPTY
}

/** The newest version on the server that this device has seen, whether it can read it or not. */
export const seenVersion = ({ version, newer }: BookRow): number => Math.max(version, newer?.version ?? 0)

/**
 * The change that stores a row of the book, which the caller read inside `withBook`. `stored` is the server's copy that the row
 * contains from now on.
 */
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

/** The pinned key of an account. */
export const pinOf = async (live: Live, userId: string): Promise<Uint8Array | undefined> => pinIn(await readBook(live), userId)

/**
 * Stores a version that one of the account's own devices named, so that the server cannot return an older one unnoticed [Note:
 * I1]. Ignores the claims of `removed` devices.
 */
export const noteNamedBook = (live: Live, named: NamedBook, removed: string[]): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const last = row.named && !removed.includes(row.named.deviceId) ? row.named.version : 0
    if (Math.max(seenVersion(row), last) >= named.version) return
    await live.vault.write([bookWrite({ ...row, named })])
  })

/** The book sealed for the server, and its plaintext. */
export interface SealedUnder {
  stored: SignedBook
  text: string
  /** True for an empty book that takes the place of one that nobody can read. */
  isStarted?: boolean
}

/**
 * Seals the book, one version up, under a history key that the account does not have yet [Note: H2]. Throws
 * CryptoFailure('book_unread') if the server's copy was never read here: it would be replaced unseen.
 */
export async function sealBookUnder(live: Live, { id, seed }: { id: number; seed: Uint8Array }): Promise<SealedUnder> {
  const row = await readBook(live)
  if (!row.isRead) throw new CryptoFailure('book_unread', 'The address book could not be read')
  const text = row.newer?.text ?? JSON.stringify(row.book)
  return { stored: await sealText(live, { id, seed }, seenVersion(row) + 1, text), text }
}

/** A book that was started anew: it asks before it trusts any key. It keeps what this browser's person has decided. */
export const startedAnew = (book: Book = EMPTY.book): Book => ({ ...book, asksFirst: true })

const withoutLists = (book: unknown): string =>
  JSON.stringify(book, (name, value: unknown) => (name === 'manifest' ? undefined : value))

/** The change that notes that the server stores this book now. The caller is inside `withBook`. */
export async function bookKeptWrites(live: Live, { stored, text, isStarted = false }: SealedUnder): Promise<Write[]> {
  const row = await readBook(live)
  // Another tab has read a newer one meanwhile.
  if (stored.version <= seenVersion(row)) return []
  if (row.newer) return [bookWrite({ ...row, newer: { version: stored.version, text } }, stored)]
  const book = isStarted ? startedAnew(row.book) : row.book
  const isDirty = JSON.stringify(book) !== text && withoutLists(book) !== withoutLists(JSON.parse(text))
  return [bookWrite({ ...row, version: stored.version, isDirty, isRead: true, isSigned: true, book }, stored)]
}

/** Opens and parses the server's book. Throws CryptoFailure: what `openBookText` throws, 'newer_version' or 'malformed'. */
export const openBook = async (live: Live, stored: SealedBook & { sealed: string }): Promise<Book> =>
  parseBook(await openBookText(live, stored))

/** Parses a book's text. Throws CryptoFailure 'newer_version' or 'malformed'. */
export const parseBook = (text: string): Book => parseDocument(text, 'conclave/book/v1', bookShape)

/**
 * Opens the server's book as text, exactly as its writer wrote it. Throws CryptoFailure: 'history_key' if this device lacks the
 * key, or 'seal'.
 */
export async function openBookText(live: Live, stored: SealedBook & { sealed: string }): Promise<string> {
  const history = await historyKeyOf(live, stored.historyKeyId)
  if (!history) throw new CryptoFailure('history_key', 'The address book is sealed under a key that this device does not have')
  return openText(live.identityKey, history, stored)
}
