import { NEEDS_NEWER } from '../../contract/content.ts'
import type { SealedBook, SignedBook } from '../../contract/devices.ts'
import { directRoomId } from '../../contract/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import {
  type Book,
  type BookRow,
  bookKeptWrites,
  bookWrite,
  openBook,
  openBookText,
  readBook,
  sealBookUnder,
  seenVersion,
  withBook,
} from './book.ts'
import { mergedGenerations } from './generations.ts'
import { historyKeyOf } from './history.ts'
import type { Live } from './live.ts'
import { requireMarkedBook } from './marks.ts'
import { type Peer, peerOf } from './peers.ts'
import { AHEAD_MAX, isSameBook, mergedPin } from './pins.ts'
import { inRoom } from './room.ts'
import { requireBookSigner } from './signature.ts'
import { keyForgottenWrites } from './trust.ts'

type Stored = SealedBook & { sealed: string }

const AHEAD =
  'One of your browsers wrote decisions into your address book that cannot be. They were not taken. If you do not know the browser, remove it'

/**
 * The book for the server, one version up; null where nothing changed, where the server's copy was not read yet, is in a form that
 * only newer builds know, or a newer one is known to be, and where this device has not learned the newest history key: under an older one the others would refuse it.
 */
export const sealBook = (live: Live): Promise<SignedBook | null> =>
  withBook(live, async () => {
    const [row, self] = await Promise.all([readBook(live), peerOf(live, live.userId)])
    const newest = self && (await historyKeyOf(live, self.manifest.historyKeyId))
    const isMine = row.isDirty && row.isRead && (row.newer?.version ?? 0) <= row.version
    return isMine && newest && isLevel(row, self) ? (await sealBookUnder(live, newest)).stored : null
  })

/** The server keeps this book now. What changed since it was sealed stays dirty. */
export const bookSaved = (live: Live, stored: SignedBook): Promise<void> =>
  withBook(live, async () => {
    await live.vault.write(await bookKeptWrites(live, { stored, text: await openBookText(live, stored) }))
  })

/**
 * Merges the server's book into this device's. Of a person's pins the one with more decisions holds; a key that takes the
 * place of another one here begins the room anew, as if it had been decided for on this device. False: one of the account's own
 * devices has named a newer book than the server's. Throws CryptoFailure: 'book_rollback' where the server goes back behind what
 * this device has seen or the account's signed list says, 'history_key' where the book is sealed under a key that is not here yet,
 * 'book_signer' or 'book_spoiled' where none of the account's devices wrote it, 'newer_version' where it is the first one here and only a newer
 * build can read it: a browser that has read one before goes on with its own copy.
 */
export async function mergeBook(live: Live, stored: SealedBook): Promise<boolean> {
  await mergeInRooms(live, stored)
  return isLevel(await readBook(live), await peerOf(live, live.userId))
}

/**
 * Goes on from a book that the account did not write, as the next version: with the newest other one that holds merged into this
 * device's copy, or with that copy alone (`older` null). False where the other one does not hold either, or this device has no copy.
 * Throws CryptoFailure('book_rollback') for a number that cannot be.
 */
export async function replaceBook(
  live: Live,
  { spoiled, older }: { spoiled: SealedBook; older: SealedBook | null },
): Promise<boolean> {
  if (spoiled.version > seenVersion(await readBook(live)) + AHEAD_MAX)
    throw new CryptoFailure('book_rollback', 'The server returned an address book with a number that cannot be')
  if (older === null) return withBook(live, () => keepOwnCopy(live, spoiled))
  try {
    await mergeInRooms(live, older, spoiled)
    return true
  } catch (error) {
    if (error instanceof CryptoFailure) return error.code === 'book_ahead'
    throw error
  }
}

/** What this device knows takes the place of a spoiled book; one that never read the book knows too little for that. */
async function keepOwnCopy(live: Live, spoiled: SealedBook): Promise<boolean> {
  const row = await readBook(live)
  const { version } = spoiled
  if (row.isRead && seenVersion(row) < version) await live.vault.write([bookWrite({ ...row, version, isDirty: true }, spoiled)])
  return row.isRead
}

async function mergeInRooms(live: Live, stored: SealedBook, replaces?: SealedBook): Promise<void> {
  for (let rooms: string[] = []; ; ) {
    const missing = await inRooms(live, rooms, () => withBook(live, () => merge(live, stored, rooms, replaces)))
    if (missing.length === 0) return
    rooms = [...rooms, ...missing].sort()
  }
}

/** Every lock of a room is taken before that of the book, in the order of their names: nobody waits for each other. */
const inRooms = <T>(live: Live, rooms: string[], work: () => Promise<T>): Promise<T> =>
  rooms.reduceRight<() => Promise<T>>((inner, room) => () => inRoom(live, room, inner), work)()

/**
 * Merges, where the rooms that begin anew are held; else answers those that are not. `replaces`: a spoiled book, in whose
 * place an older one goes.
 */
async function merge(live: Live, stored: SealedBook, rooms: string[], replaces?: SealedBook): Promise<string[]> {
  const row = await readBook(live)
  if (replaces === undefined) await requireNewest(live, row, stored)
  if (stored.version === row.version && replaces === undefined) {
    if (!row.isRead) await live.vault.write([bookWrite({ ...row, isRead: true })])
    return []
  }
  if (stored.sealed === null) throw new CryptoFailure('malformed', 'The server returned an address book without content')
  const sealed = { ...stored, sealed: stored.sealed }
  const theirs = await openSigned(live, row, sealed)
  if (theirs === 'newer') return keepNewer(live, row, sealed)
  const { book, isAhead } = mergedBook(row.book, theirs)
  const changed = Object.keys(row.book.pins).filter((id) => book.pins[id]?.identityKey !== row.book.pins[id]?.identityKey)
  const missing = changed.map((userId) => directRoomId(live.userId, userId)).filter((room) => !rooms.includes(room))
  if (missing.length > 0) return missing
  const isDirty = replaces !== undefined || !isSameBook(book, theirs)
  const isSigned = row.isSigned || stored.signature !== null
  const forgotten = await Promise.all(changed.map((userId) => keyForgottenWrites(live, userId)))
  const { newer: _, ...known } = row
  const next: BookRow = { ...known, version: replaces?.version ?? stored.version, isDirty, isRead: true, isSigned, book }
  await live.vault.write([bookWrite(next, replaces ?? stored), ...forgotten.flat()])
  if (isAhead) throw new CryptoFailure('book_ahead', AHEAD)
  return []
}

/**
 * The book inside, where a listed device of the account has signed it. Throws CryptoFailure: 'history_key' and 'book_signer', which a
 * newer device list may settle, or 'book_spoiled': the server keeps what no device of the account wrote.
 */
async function openSigned(live: Live, row: BookRow, stored: Stored): Promise<Book | 'newer'> {
  const self = await peerOf(live, live.userId)
  if (!self) throw new CryptoFailure('manifest', "This account's own device list is missing")
  try {
    requireBookSigner(self.manifest, stored)
    if (stored.signature === null && row.isSigned) throw new CryptoFailure('signature', 'The address book has no signature')
    return await openBook(live, stored)
  } catch (error) {
    if (!(error instanceof CryptoFailure) || error.code === 'history_key' || error.code === 'book_signer') throw error
    if (error.code === 'newer_version') return 'newer'
    const text = 'The server kept an address book that your account did not write'
    throw new CryptoFailure('book_spoiled', text, { cause: error })
  }
}

/** Keeps a book that only newer builds can read, to pass it on. What this device knows stays its own until it is one of them. */
async function keepNewer(live: Live, row: BookRow, stored: Stored): Promise<[]> {
  if (!row.isRead) throw new CryptoFailure('newer_version', NEEDS_NEWER)
  if (row.newer?.version !== stored.version)
    await live.vault.write([
      bookWrite({ ...row, newer: { version: stored.version, text: await openBookText(live, stored) } }, stored),
    ])
  return []
}

/**
 * True if no newer book is known to be on the server [Note: I1]. A number alone does not stop anything: a stolen device could name
 * any, and hold off its own removal.
 */
const isLevel = (row: BookRow, self: Peer | undefined): boolean =>
  row.named === undefined || row.named.version <= seenVersion(row) || self?.manifest.removed.includes(row.named.deviceId) === true

/** The account's own signed list names the history key that the book may not be older than. */
async function requireNewest(live: Live, row: BookRow, stored: SealedBook): Promise<void> {
  const manifest = (await peerOf(live, live.userId))?.manifest
  // The first history key may be older than the first book: then the server has none.
  const isUnderOlderKey = manifest !== undefined && manifest.historyKeyId > 1 && stored.historyKeyId < manifest.historyKeyId
  if (stored.version < seenVersion(row) || isUnderOlderKey)
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than before')
  await requireMarkedBook(live, stored)
}

interface MergedBook {
  book: Book
  /** A pin counts more decisions than there can be. */
  isAhead: boolean
}

function mergedBook(mine: Book, theirs: Book): MergedBook {
  let isAhead = false
  // In their order, so that equal books are equal text.
  const pins = { ...theirs.pins, ...mine.pins }
  for (const [userId, pin] of Object.entries(theirs.pins)) {
    const merged = mergedPin(mine.pins[userId], pin)
    pins[userId] = merged.pin
    isAhead ||= merged.isAhead
  }
  const aliases = { ...theirs.aliases, ...mine.aliases, ...theirs.aliases }
  return { book: { ...united(mine, theirs), pins, aliases, ...mergedGenerations(mine, theirs) }, isAhead }
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of both; what both have is united field by field, and anything else is as they have it, who wrote last [Note: F2]. */
function united(mine: Fields, theirs: Fields): Fields {
  const all = Object.entries({ ...theirs, ...mine }).map(([name, value]): [string, unknown] => {
    const other = theirs[name]
    return [name, isFields(value) && isFields(other) ? united(value, other) : (other ?? value)]
  })
  return Object.fromEntries(all)
}
