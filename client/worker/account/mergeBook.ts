import type { SealedBook, SignedBook } from '../../../contract/account/devices.ts'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { inRoom } from '../group/roomState.ts'
import { historyKeyOf } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { requireBookSigner } from '../keys/signature.ts'
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
} from '../lists/book.ts'
import { requireMarkedBook } from '../lists/documentMarks.ts'
import { mergedGenerations } from '../lists/generations.ts'
import { mergedEntries } from '../lists/mergeCounted.ts'
import { type Peer, peerOf } from '../lists/peers.ts'
import { isSameBook, mergedPin } from '../lists/pins.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { keyForgottenWrites } from './forgetKey.ts'

type Stored = SealedBook & { sealed: string }

const AHEAD =
  'One of your browsers wrote decisions into your address book that cannot be. They were not taken. If you do not know the browser, remove it'

/**
 * Seals the book for the server, one version up. Returns null if nothing changed, if the server's copy was not read yet, has a
 * form that only newer builds know, or is older than a book known to exist, and if this device lacks the newest history key: the
 * other devices would refuse a book under an older one.
 */
export const sealBook = (live: Live): Promise<SignedBook | null> =>
  withBook(live, async () => {
    const [row, self] = await Promise.all([readBook(live), peerOf(live, live.userId)])
    const newest = self && (await historyKeyOf(live, self.manifest.historyKeyId))
    const isMine = row.isDirty && row.isRead && (row.newer?.version ?? 0) <= row.version
    return isMine && newest && isLevel(row, self) ? (await sealBookUnder(live, newest)).stored : null
  })

/** Notes that the server stores this book now. Changes made since it was sealed stay dirty. */
export const bookSaved = (live: Live, stored: SignedBook): Promise<void> =>
  withBook(live, async () => {
    await live.vault.write(await bookKeptWrites(live, { stored, text: await openBookText(live, stored) }))
  })

/**
 * Merges the server's book into this device's. For each account the pin with more decisions wins; a key that replaces another one
 * restarts the room, as if the person had decided on this device. Returns false if one of the account's own devices has named a
 * newer book than the server's. Throws CryptoFailure: 'book_rollback' if the server's book is older than this device has seen or
 * the account's signed list requires, 'history_key' if this device lacks the key that seals the book, 'book_signer' or
 * 'book_spoiled' if none of the account's devices wrote it, 'newer_version' if only a newer build can read it and this browser
 * has never read one: after a first book it continues with its own copy.
 */
export async function mergeBook(live: Live, stored: SealedBook): Promise<boolean> {
  await mergeInRooms(live, stored)
  return isLevel(await readBook(live), await peerOf(live, live.userId))
}

/** Merges inside the locks of the rooms that it restarts. `replaces` is a spoiled book that an older one replaces. */
export async function mergeInRooms(live: Live, stored: SealedBook, replaces?: SealedBook): Promise<void> {
  for (let rooms: string[] = []; ; ) {
    const missing = await inRooms(live, rooms, () => withBook(live, () => merge(live, stored, rooms, replaces)))
    if (missing.length === 0) return
    rooms = [...rooms, ...missing].sort()
  }
}

/** Takes the locks of all rooms in the order of their ids, then that of the book, so that no deadlock is possible. */
const inRooms = <T>(live: Live, rooms: string[], work: () => Promise<T>): Promise<T> =>
  rooms.reduceRight<() => Promise<T>>((inner, room) => () => inRoom(live, room, inner), work)()

/**
 * Merges if the locks of all rooms that restart are held; else returns the rooms whose locks are missing. `replaces` is a spoiled
 * book that an older one replaces.
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
 * Opens the server's book if a listed device of the account signed it. Throws CryptoFailure: 'history_key' and 'book_signer',
 * which a newer device list may resolve, or 'book_spoiled' if no device of the account wrote it.
 */
async function openSigned(live: Live, row: BookRow, stored: Stored): Promise<Book | 'newer'> {
  const self = await peerOf(live, live.userId)
  if (!self) throw new CryptoFailure('manifest', 'This account’s own device list is missing')
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

/**
 * Stores a book that only newer builds can read, to pass it on. This device's own changes stay local until its build can read
 * that book.
 */
async function keepNewer(live: Live, row: BookRow, stored: Stored): Promise<[]> {
  if (!row.isRead) throw new CryptoFailure('newer_version', NEEDS_NEWER)
  if (row.newer?.version !== stored.version)
    await live.vault.write([
      bookWrite({ ...row, newer: { version: stored.version, text: await openBookText(live, stored) } }, stored),
    ])
  return []
}

/**
 * True if no newer book is known to be on the server [Note: I1]. Ignores the claim of a removed device: a stolen device could
 * name any version to block its own removal.
 */
const isLevel = (row: BookRow, self: Peer | undefined): boolean =>
  row.named === undefined || row.named.version <= seenVersion(row) || self?.manifest.removed.includes(row.named.deviceId) === true

/**
 * Throws if the book is older than the one seen here, or sealed under an older history key than the account's signed list names.
 */
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
  /** True if a pin counts more decisions than there can be. */
  isAhead: boolean
}

function mergedBook(mine: Book, theirs: Book): MergedBook {
  let isAhead = false
  // In their order, so that equal books serialize to equal text.
  const pins = { ...theirs.pins, ...mine.pins }
  for (const [userId, pin] of Object.entries(theirs.pins)) {
    const merged = mergedPin(mine.pins[userId], pin)
    pins[userId] = merged.pin
    isAhead ||= merged.isAhead
  }
  const aliases = { ...theirs.aliases, ...mine.aliases, ...theirs.aliases }
  return {
    book: { ...united(mine, theirs), pins, aliases, ...mergedGenerations(mine, theirs), ...mergedEntries(mine, theirs) },
    isAhead,
  }
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Merges the fields of both. Objects are merged recursively; for any other field the server's value wins, because it was written
 * last [Note: F2].
 */
function united(mine: Fields, theirs: Fields): Fields {
  const all = Object.entries({ ...theirs, ...mine }).map(([name, value]): [string, unknown] => {
    const other = theirs[name]
    return [name, isFields(value) && isFields(other) ? united(value, other) : (other ?? value)]
  })
  return Object.fromEntries(all)
}
