import type { SealedBook, SignedBook } from '../../../contract/account/devices.ts'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { inRoom } from '../group/roomState.ts'
import { historyKeyOf } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { requireBookSigner } from '../keys/signature.ts'
import { boundUnknown } from '../keys/unknownFields.ts'
import {
  type Book,
  type BookRow,
  bookKeptWrites,
  bookShape,
  bookWrite,
  type OpenedBook,
  openBook,
  openBookText,
  readBook,
  sealBookUnder,
  seenVersion,
  withBook,
} from '../lists/book.ts'
import { isMetLost, withoutOverflow } from '../lists/bookSize.ts'
import { requireMarkedBook } from '../lists/documentMarks.ts'
import { mergedGenerations } from '../lists/generations.ts'
import { isCountedAhead, mergedEntries } from '../lists/mergeCounted.ts'
import { type Peer, peerOf, peersMet } from '../lists/peers.ts'
import { isSameBook, mergedPin } from '../lists/pins.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { keyForgottenWrites } from './forgetKey.ts'

type Stored = SealedBook & { sealed: string }

const AHEAD =
  'One of your browsers wrote into your address book what cannot be, or more than it holds. That was not taken. If you do not know the browser, remove it'

/** Seals the next version; null if nothing changed, a key is missing, or the server's copy is unread, unknown or newer. */
export const sealBook = (live: Live): Promise<SignedBook | null> =>
  withBook(live, async () => {
    const [row, self] = await Promise.all([readBook(live), peerOf(live, live.userId)])
    const newest = self && (await historyKeyOf(live, self.manifest.historyKeyId))
    const isMine = row.isDirty && row.isRead && (row.newer?.version ?? 0) <= row.version
    return isMine && newest && isLevel(row, self) ? (await sealBookUnder(live, newest)).stored : null
  })

/** Notes the stored book; later changes stay dirty. */
export const bookSaved = (live: Live, stored: SignedBook): Promise<void> =>
  withBook(live, async () => {
    await live.vault.write(await bookKeptWrites(live, { stored, text: await openBookText(live, stored) }))
  })

/**
 * Merges the server's book; replaced keys restart rooms. Returns false if a newer book is named. Throws 'book_rollback',
 * 'history_key', 'book_signer', 'book_spoiled', or 'newer_version' before a first read.
 */
export async function mergeBook(live: Live, stored: SealedBook): Promise<boolean> {
  await mergeInRooms(live, stored)
  return isLevel(await readBook(live), await peerOf(live, live.userId))
}

/** Merges inside the rooms' locks. `replaces` is spoiled. */
export async function mergeInRooms(live: Live, stored: SealedBook, replaces?: SealedBook): Promise<void> {
  for (let rooms: string[] = []; ; ) {
    const missing = await inRooms(live, rooms, () => withBook(live, () => merge(live, stored, rooms, replaces)))
    if (missing.length === 0) return
    rooms = [...rooms, ...missing].sort()
  }
}

/** A fixed order excludes deadlocks. */
const inRooms = <T>(live: Live, rooms: string[], work: () => Promise<T>): Promise<T> =>
  rooms.reduceRight<() => Promise<T>>((inner, room) => () => inRoom(live, room, inner), work)()

/** Returns rooms whose locks are missing, else merges. */
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
  const met = new Set(await peersMet(live))
  const { book, isAhead, isFull } = mergedBook(row, theirs, met)
  const changed = Object.keys(row.book.pins).filter((id) => book.pins[id]?.identityKey !== row.book.pins[id]?.identityKey)
  const missing = changed.map((userId) => directRoomId(live.userId, userId)).filter((room) => !rooms.includes(room))
  if (missing.length > 0) return missing
  const hasNews = isFull ? row.isDirty || isMetLost(book, theirs.book, met) : !isSameBook(book, theirs.book)
  const isDirty = replaces !== undefined || theirs.hasDropped || hasNews
  const isSigned = row.isSigned || stored.signature !== null
  const forgotten = await Promise.all(changed.map((userId) => keyForgottenWrites(live, userId)))
  const { newer: _, ...known } = row
  const lockedBy = { ...row.lockedBy, ...newLocks(row.book, book, stored.deviceId) }
  const next: BookRow = {
    ...known,
    lockedBy,
    version: replaces?.version ?? stored.version,
    isDirty,
    isRead: true,
    isSigned,
    book,
  }
  await live.vault.write([bookWrite(next, replaces ?? stored), ...forgotten.flat()])
  if (isAhead) throw new CryptoFailure('book_ahead', AHEAD)
  return []
}

/** A book may pass on another browser's lock. */
function newLocks(before: Book, { locks = {} }: Book, deviceId: string | null): Record<string, string> {
  const fresh = Object.keys(locks).filter((room) => locks[room]?.n !== before.locks?.[room]?.n)
  return deviceId === null ? {} : Object.fromEntries(fresh.map((room) => [room, deviceId]))
}

/** Throws 'history_key', 'book_signer' or 'book_spoiled'. */
async function openSigned(live: Live, row: BookRow, stored: Stored): Promise<OpenedBook | 'newer'> {
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

async function keepNewer(live: Live, row: BookRow, stored: Stored): Promise<[]> {
  if (!row.isRead) throw new CryptoFailure('newer_version', NEEDS_NEWER)
  if (row.newer?.version !== stored.version)
    await live.vault.write([
      bookWrite({ ...row, newer: { version: stored.version, text: await openBookText(live, stored) } }, stored),
    ])
  return []
}

/** [Note: I1] A removed device could name any version. */
const isLevel = (row: BookRow, self: Peer | undefined): boolean =>
  row.named === undefined || row.named.version <= seenVersion(row) || self?.manifest.removed.includes(row.named.deviceId) === true

async function requireNewest(live: Live, row: BookRow, stored: SealedBook): Promise<void> {
  const manifest = (await peerOf(live, live.userId))?.manifest
  // History keys exist before books.
  const isUnderOlderKey = manifest !== undefined && manifest.historyKeyId > 1 && stored.historyKeyId < manifest.historyKeyId
  if (stored.version < seenVersion(row) || isUnderOlderKey)
    throw new CryptoFailure('book_rollback', 'The server returned an older address book than before')
  await requireMarkedBook(live, stored)
}

interface MergedBook {
  book: Book
  isAhead: boolean
  isFull: boolean
}

function mergedBook({ book: mine, isRead }: BookRow, opened: OpenedBook, met: ReadonlySet<string>): MergedBook {
  // [Note: I1]
  const { book: theirs, hasDropped: isFull } = isRead
    ? withoutOverflow(mine, opened.book, met)
    : { book: opened.book, hasDropped: false }
  let isAhead = isFull || opened.hasDropped || isCountedAhead(mine, theirs)
  // Equal books need equal text.
  const pins = { ...theirs.pins, ...mine.pins }
  for (const [userId, pin] of Object.entries(theirs.pins)) {
    const merged = mergedPin(mine.pins[userId], pin)
    pins[userId] = merged.pin
    isAhead ||= merged.isAhead
  }
  const aliases = { ...theirs.aliases, ...mine.aliases, ...theirs.aliases }
  const lists = { pins, aliases, ...mergedGenerations(mine, theirs), ...mergedEntries(mine, theirs) }
  return { book: boundUnknown(bookShape, { ...united(mine, theirs), ...lists }).value, isAhead, isFull }
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The server's fields win [Note: F2]. */
function united(mine: Fields, theirs: Fields): Fields {
  const all = Object.entries({ ...theirs, ...mine }).map(([name, value]): [string, unknown] => {
    const other = theirs[name]
    return [name, isFields(value) && isFields(other) ? united(value, other) : (other ?? value)]
  })
  return Object.fromEntries(all)
}
