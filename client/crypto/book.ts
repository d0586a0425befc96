import { fromBase64, fromUtf8, sameBytes, toBase64, utf8 } from '../../contract/bytes.ts'
import type { SealedBook } from '../../contract/devices.ts'
import { CryptoFailure } from './failure.ts'
import type { Live } from './live.ts'
import { hkdf, openWith, sealWith } from './seal.ts'

interface Pin {
  /** Ed25519, base64. */
  identityKey: string
  isVerified: boolean
}

/** What an account remembers across browsers [Note: I1]. */
interface Book {
  pins: Record<string, Pin>
  aliases: Record<string, string>
  /** The newest generation this account has seen of each room: lower ones are refused [Note: R4]. */
  generations: Record<string, number>
}

interface BookRow {
  /** The version on the server that this copy holds; `isDirty`: it holds more. */
  version: number
  isDirty: boolean
  book: Book
}

const EMPTY: BookRow = { version: 0, isDirty: false, book: { pins: {}, aliases: {}, generations: {} } }

async function readRow({ vault }: Live): Promise<BookRow> {
  return ((await vault.get('sealed', 'book'))?.json as BookRow | undefined) ?? EMPTY
}

const writeRow = ({ vault }: Live, row: BookRow) => vault.write([{ store: 'sealed', key: 'book', value: { json: row } }])

async function change(live: Live, edit: (book: Book) => Book): Promise<void> {
  const row = await readRow(live)
  await writeRow(live, { ...row, isDirty: true, book: edit(row.book) })
}

/** The pinned key of an account. */
export async function pinOf(live: Live, userId: string): Promise<Uint8Array | undefined> {
  const pin = (await readRow(live)).book.pins[userId]
  return pin && fromBase64(pin.identityKey)
}

/** Remembers the first key that was seen of an account. */
export const pinPeer = (live: Live, userId: string, identityKey: Uint8Array): Promise<void> =>
  change(live, (book) => ({
    ...book,
    pins: { ...book.pins, [userId]: { identityKey: toBase64(identityKey), isVerified: false } },
  }))

/** The newest generation of a room that any device of this account has seen. */
export const generationOf = async (live: Live, chatRoomId: string): Promise<number> =>
  (await readRow(live)).book.generations[chatRoomId] ?? 0

/** Remembers a room's generation; it only goes up. */
export async function noteGeneration(live: Live, chatRoomId: string, generation: number): Promise<void> {
  if ((await generationOf(live, chatRoomId)) >= generation) return
  await change(live, (book) => ({ ...book, generations: { ...book.generations, [chatRoomId]: generation } }))
}

/** The book for the server, one version up; null when nothing changed. */
export async function sealBook(live: Live): Promise<(SealedBook & { sealed: string }) | null> {
  const row = await readRow(live)
  const newest = live.history.at(-1)
  if (!row.isDirty || !newest) return null
  const version = row.version + 1
  const sealed = await sealWith(
    await bookKey(newest.seed),
    'conclave/book/v1',
    utf8(JSON.stringify(row.book)),
    live.identityKey,
    String(version),
  )
  return { version, historyKeyId: newest.id, sealed: toBase64(sealed) }
}

/** The server keeps `version` now. What changed since it was sealed stays dirty. */
export async function bookSaved(live: Live, version: number, sealed: string): Promise<void> {
  const row = await readRow(live)
  const saved = await openBook(live, { version, historyKeyId: live.history.at(-1)?.id ?? 0, sealed })
  await writeRow(live, { ...row, version, isDirty: JSON.stringify(saved) !== JSON.stringify(row.book) })
}

/**
 * Merges the server's book into this device's. A pin that this device has already wins over another key in the
 * book: the difference shows as a changed key. Throws CryptoFailure when the server goes back in versions.
 */
export async function mergeBook(live: Live, stored: SealedBook): Promise<void> {
  const row = await readRow(live)
  if (stored.version < row.version)
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than before')
  if (stored.sealed === null || stored.version === row.version) return
  const theirs = await openBook(live, { ...stored, sealed: stored.sealed })
  const book: Book = {
    pins: { ...theirs.pins, ...row.book.pins },
    aliases: { ...row.book.aliases, ...theirs.aliases },
    generations: { ...theirs.generations },
  }
  for (const [room, generation] of Object.entries(row.book.generations)) {
    book.generations[room] = Math.max(generation, theirs.generations[room] ?? 0)
  }
  await writeRow(live, { version: stored.version, isDirty: JSON.stringify(book) !== JSON.stringify(theirs), book })
}

async function openBook(live: Live, stored: SealedBook & { sealed: string }): Promise<Book> {
  const history = live.history.find((key) => key.id === stored.historyKeyId)
  if (!history) throw new CryptoFailure('history_key', 'The address book is sealed under a key that this device does not have')
  const context = [live.identityKey, String(stored.version)] as const
  const bytes = await openWith(await bookKey(history.seed), 'conclave/book/v1', fromBase64(stored.sealed), ...context)
  return JSON.parse(fromUtf8(bytes)) as Book
}

const bookKey = (historySeed: Uint8Array): Promise<Uint8Array> => hkdf(historySeed, 'conclave/book-key/v1')

/** Whether a key is the pinned one; true before anything is pinned. */
export async function isPinned(live: Live, userId: string, identityKey: Uint8Array | null): Promise<boolean> {
  const pin = await pinOf(live, userId)
  return !pin || (identityKey !== null && sameBytes(pin, identityKey))
}
