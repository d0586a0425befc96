import { z } from 'zod'
import { fromBase64, fromUtf8, sameBytes, toBase64, utf8 } from '../../contract/bytes.ts'
import type { SealedBook } from '../../contract/devices.ts'
import { base64, counterShape } from '../../contract/shapes.ts'
import { parseDocument } from './document.ts'
import { exclusive } from './exclusive.ts'
import { CryptoFailure } from './failure.ts'
import type { Live } from './live.ts'
import { hkdf, openWith, sealWith } from './seal.ts'
import type { Write } from './vault.ts'

const bookShape = z.object({
  /** By user id; `identityKey` is Ed25519, base64. */
  pins: z.record(z.string(), z.object({ identityKey: base64(32), isVerified: z.boolean() })),
  aliases: z.record(z.string(), z.string()),
  /** The newest generation this account has seen of each room: lower ones are refused [Note: R4]. */
  generations: z.record(z.string(), counterShape),
})

/** What an account remembers across browsers [Note: I1]. */
type Book = z.infer<typeof bookShape>

export interface BookRow {
  /** The version on the server that this copy holds; `isDirty`: it holds more. */
  version: number
  isDirty: boolean
  /** The server's copy was read here at least once. Before, this browser cannot know whom the account's others trust. */
  isRead: boolean
  book: Book
}

const EMPTY: BookRow = { version: 0, isDirty: false, isRead: false, book: { pins: {}, aliases: {}, generations: {} } }

/**
 * One change of the book and of the manifests that rest on it at a time, across tabs. Taken inside a room's lock where both are
 * needed, never around it.
 */
export const withBook = <T>(live: Live, work: () => Promise<T>): Promise<T> => exclusive(`conclave/${live.userId}/book`, work)

export async function readBook({ vault }: Live): Promise<BookRow> {
  return ((await vault.get('sealed', 'book'))?.json as BookRow | undefined) ?? EMPTY
}

const bookWrite = (row: BookRow): Write => ({ store: 'sealed', key: 'book', value: { json: row } })

/** The key that a row of the book pins for an account. */
export function pinIn({ book }: BookRow, userId: string): Uint8Array | undefined {
  const pin = book.pins[userId]
  return pin && fromBase64(pin.identityKey)
}

/** The pinned key of an account. */
export const pinOf = async (live: Live, userId: string): Promise<Uint8Array | undefined> => pinIn(await readBook(live), userId)

/** The change that pins a key. The caller read `row` inside `withBook`. */
export const pinWrite = (row: BookRow, userId: string, identityKey: Uint8Array): Write => {
  const pins = { ...row.book.pins, [userId]: { identityKey: toBase64(identityKey), isVerified: false } }
  return bookWrite({ ...row, isDirty: true, book: { ...row.book, pins } })
}

/** The newest generation of a room that any device of this account has seen. */
export const generationOf = async (live: Live, chatRoomId: string): Promise<number> =>
  (await readBook(live)).book.generations[chatRoomId] ?? 0

/** Remembers a generation that this device has proof of, before it moves there; it only goes up [Note: R4]. */
export const noteGeneration = (live: Live, chatRoomId: string, generation: number): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    if ((row.book.generations[chatRoomId] ?? 0) >= generation) return
    const generations = { ...row.book.generations, [chatRoomId]: generation }
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: { ...row.book, generations } })])
  })

/** The book for the server, one version up; null when nothing changed. */
export const sealBook = (live: Live): Promise<(SealedBook & { sealed: string }) | null> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const newest = live.history.at(-1)
    if (!row.isDirty || !newest) return null
    const version = row.version + 1
    const plain = utf8(JSON.stringify(row.book))
    const sealed = await sealWith(await bookKey(newest.seed), 'conclave/book/v1', plain, live.identityKey, String(version))
    return { version, historyKeyId: newest.id, sealed: toBase64(sealed) }
  })

/** The server keeps `version` now. What changed since it was sealed stays dirty. */
export const bookSaved = (live: Live, version: number, sealed: string): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    // Another tab has read a newer one meanwhile.
    if (version <= row.version) return
    const saved = await openBook(live, { version, historyKeyId: live.history.at(-1)?.id ?? 0, sealed })
    const isDirty = JSON.stringify(saved) !== JSON.stringify(row.book)
    await live.vault.write([bookWrite({ ...row, version, isDirty, isRead: true })])
  })

/**
 * Merges the server's book into this device's. A pin that this device has already wins over another key in the
 * book: the difference shows as a changed key. Throws CryptoFailure when the server goes back in versions.
 */
export const mergeBook = (live: Live, stored: SealedBook): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    if (stored.version < row.version)
      throw new CryptoFailure('book_rollback', 'The server returned an older address book than before')
    if (stored.version === row.version) {
      if (!row.isRead) await live.vault.write([bookWrite({ ...row, isRead: true })])
      return
    }
    if (stored.sealed === null) throw new CryptoFailure('malformed', 'The server returned an address book without content')
    const theirs = await openBook(live, { ...stored, sealed: stored.sealed })
    const book: Book = {
      pins: { ...theirs.pins, ...row.book.pins },
      // In their order, so that equal books are equal text.
      aliases: { ...theirs.aliases, ...row.book.aliases, ...theirs.aliases },
      generations: { ...theirs.generations },
    }
    for (const [room, generation] of Object.entries(row.book.generations)) {
      book.generations[room] = Math.max(generation, theirs.generations[room] ?? 0)
    }
    const isDirty = JSON.stringify(book) !== JSON.stringify(theirs)
    await live.vault.write([bookWrite({ version: stored.version, isDirty, isRead: true, book })])
  })

async function openBook(live: Live, stored: SealedBook & { sealed: string }): Promise<Book> {
  const history = live.history.find((key) => key.id === stored.historyKeyId)
  if (!history) throw new CryptoFailure('history_key', 'The address book is sealed under a key that this device does not have')
  const context = [live.identityKey, String(stored.version)] as const
  const bytes = await openWith(await bookKey(history.seed), 'conclave/book/v1', fromBase64(stored.sealed), ...context)
  return parseDocument(fromUtf8(bytes), 'conclave/book/v1', bookShape)
}

const bookKey = (historySeed: Uint8Array): Promise<Uint8Array> => hkdf(historySeed, 'conclave/book-key/v1')

/** Whether a key is the pinned one; true before anything is pinned. */
export function isPinnedIn(row: BookRow, userId: string, identityKey: Uint8Array | null): boolean {
  const pin = pinIn(row, userId)
  return !pin || (identityKey !== null && sameBytes(pin, identityKey))
}
