import { z } from 'zod'
import { fromBase64, fromUtf8, toBase64, utf8 } from '../../contract/bytes.ts'
import type { SealedBook, SignedBook } from '../../contract/devices.ts'
import { LIMITS } from '../../contract/limits.ts'
import { base64, counterShape, signedName } from '../../contract/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { hkdf, openWith, sealWith } from '../primitives/seal.ts'
import { exclusive } from '../vault/exclusive.ts'
import { markOf } from '../vault/marks.ts'
import { jsonOf } from '../vault/rows.ts'
import type { Write } from '../vault/vault.ts'
import { parseDocument } from './document.ts'
import { historyKeyOf } from './history.ts'
import type { Live } from './live.ts'
import { signBook } from './signature.ts'

// What a newer build has added to a pin or to the book stays in it [Note: F2].
const pinShape = z.looseObject({
  identityKey: base64(32),
  /** The person compared the safety number of this key. */
  isVerified: z.boolean(),
  /** How many decisions of the person it rests on; absent for a key that was only the first one seen. */
  n: counterShape.optional(),
  /** In the place of a count, in a pin of before: when the person decided. */
  decidedAt: z.iso.datetime().optional(),
  /** In lower case: the signed name, or the one first shown. '': the person gave the name to another account [Note: I3]. */
  username: signedName.or(z.literal('')).optional(),
  /** Another browser of the account knows another key or name, and the person has decided for neither. */
  other: z.looseObject({ identityKey: base64(32), username: z.string().max(LIMITS.usernameMax).optional() }).optional(),
  /** The account was listed as a contact that both sides or this one accepted; false once the person knows that it is gone [Note: I3]. */
  isContact: z.boolean().optional(),
  /** The key is the one in an onion address that the person entered. */
  isByAddress: z.boolean().optional(),
})
export type Pin = z.infer<typeof pinShape>

const bookShape = z.looseObject({
  /** By user id; `identityKey` is Ed25519, base64. */
  pins: z.record(z.string(), pinShape),
  aliases: z.record(z.string(), z.string()),
  /** The newest generation this account has seen of each room: of others the person is asked [Note: R8]. */
  generations: z.record(z.string(), counterShape),
  /** How often the person had a room begin anew at the state that the server showed [Note: R8]. */
  restarts: z.record(z.string(), counterShape).optional(),
})

/** What an account remembers across browsers [Note: I1]. */
export type Book = z.infer<typeof bookShape>

export interface BookRow {
  /** The version on the server that this copy holds; `isDirty`: it holds more. */
  version: number
  isDirty: boolean
  /** The server's copy was read here at least once. Before, this browser cannot know whom the account's others trust. */
  isRead: boolean
  /** A signed book was read or written here: one without a signature is of before, and goes back. */
  isSigned?: boolean
  /** A newer version than this copy, and the own device that named it: the server cannot hide it any more. */
  named?: NamedBook | undefined
  /** A book on the server in a form that this build does not know: its text is passed on as it is, and never replaced [Note: F2]. */
  newer?: { version: number; text: string }
  book: Book
}

export interface NamedBook {
  version: number
  deviceId: string
}

/** Of the parts of the book only that they are there: each entry is checked where it comes from the server, and there may be thousands. */
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

const EMPTY: BookRow = { version: 0, isDirty: false, isRead: false, book: { pins: {}, aliases: {}, generations: {} } }

/**
 * One change of the book and of the manifests that rest on it at a time, across tabs. Taken inside a room's lock where both are
 * needed, never around it.
 */
export const withBook = <T>(live: Live, work: () => Promise<T>): Promise<T> => exclusive(`conclave/${live.userId}/book`, work)

export async function readBook({ vault }: Live): Promise<BookRow> {
  const row = await vault.get('sealed', 'book')
  return row ? jsonOf(rowShape, row) : EMPTY
}

/** The newest version on the server that this device has seen, whether it can read it or not. */
export const seenVersion = ({ version, newer }: BookRow): number => Math.max(version, newer?.version ?? 0)

/** The change that keeps a row of the book. The caller read it inside `withBook`. `stored`: the server's copy that it holds from now on. */
export const bookWrite = (row: BookRow, stored?: SealedBook): Write => ({
  store: 'sealed',
  key: 'book',
  value: { json: row },
  ...(stored && { mark: { book: markOf(stored.version, stored.sealed ?? '') } }),
})

/** The key that a row of the book pins for an account. */
export function pinIn({ book }: BookRow, userId: string): Uint8Array | undefined {
  const pin = book.pins[userId]
  return pin && fromBase64(pin.identityKey)
}

/** The pinned key of an account. */
export const pinOf = async (live: Live, userId: string): Promise<Uint8Array | undefined> => pinIn(await readBook(live), userId)

/** The accounts whose pinned key the person compared. */
export const verifiedUsers = async (live: Live): Promise<string[]> =>
  Object.entries((await readBook(live)).book.pins).flatMap(([userId, { isVerified }]) => (isVerified ? [userId] : []))

/**
 * Remembers a version that one of the account's own devices named: what the server hands out should not be older [Note: I1].
 * `removed`: devices that were removed, whose word counts no more.
 */
export const noteNamedBook = (live: Live, named: NamedBook, removed: string[]): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const last = row.named && !removed.includes(row.named.deviceId) ? row.named.version : 0
    if (Math.max(seenVersion(row), last) >= named.version) return
    await live.vault.write([bookWrite({ ...row, named })])
  })

/** The book sealed for the server, with what was in it. */
export interface SealedUnder {
  stored: SignedBook
  text: string
}

/**
 * The book one version up under a history key that the account does not have yet [Note: H2]. Throws CryptoFailure('book_unread')
 * where the server's copy was never read here: it would be replaced unseen.
 */
export async function sealBookUnder(live: Live, { id, seed }: { id: number; seed: Uint8Array }): Promise<SealedUnder> {
  const row = await readBook(live)
  if (!row.isRead) throw new CryptoFailure('book_unread', 'The address book could not be read')
  const text = row.newer?.text ?? JSON.stringify(row.book)
  const version = seenVersion(row) + 1
  const sealed = await sealWith(await bookKey(seed), 'conclave/book/v1', utf8(text), live.identityKey, String(version))
  return { stored: signBook(live, { version, historyKeyId: id, sealed: toBase64(sealed) }), text }
}

/** The change that notes that the server keeps this book now. The caller is inside `withBook`. */
export async function bookKeptWrites(live: Live, { stored, text }: SealedUnder): Promise<Write[]> {
  const row = await readBook(live)
  // Another tab has read a newer one meanwhile.
  if (stored.version <= seenVersion(row)) return []
  if (row.newer) return [bookWrite({ ...row, newer: { version: stored.version, text } }, stored)]
  const isDirty = JSON.stringify(row.book) !== text
  return [bookWrite({ ...row, version: stored.version, isDirty, isRead: true, isSigned: true }, stored)]
}

/** What the server keeps. Throws CryptoFailure: what `openBookText` throws, 'newer_version' or 'malformed'. */
export const openBook = async (live: Live, stored: SealedBook & { sealed: string }): Promise<Book> =>
  parseDocument(await openBookText(live, stored), 'conclave/book/v1', bookShape)

/** The same as its writer wrote it. Throws CryptoFailure: 'history_key' where this device lacks the key, or 'seal'. */
export async function openBookText(live: Live, stored: SealedBook & { sealed: string }): Promise<string> {
  const history = await historyKeyOf(live, stored.historyKeyId)
  if (!history) throw new CryptoFailure('history_key', 'The address book is sealed under a key that this device does not have')
  const context = [live.identityKey, String(stored.version)] as const
  const bytes = await openWith(await bookKey(history.seed), 'conclave/book/v1', fromBase64(stored.sealed), ...context)
  return fromUtf8(bytes)
}

const bookKey = (historySeed: Uint8Array): Promise<Uint8Array> => hkdf(historySeed, 'conclave/book-key/v1')
