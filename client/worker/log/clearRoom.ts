import { z } from 'zod'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { type Book, bookWrite, readBook, withBook } from '../lists/book.ts'
import { decided } from '../lists/pins.ts'
import { editWrite } from '../messages/begunRows.ts'
import { waitingActsIn } from '../messages/waitingActs.ts'
import { readIntoIndex } from '../searchindex/searchindex.ts'
import { dropTransfers } from '../transfers/dropping.ts'
import { dropFiles, listFiles } from '../vault/disk.ts'
import { type RoomRecord, recordWrite, roomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'
import type { VaultValue } from '../vault/vaultRows.ts'
import { nameIn, receivedFile, type TransferName, transfersIn } from '../vault/waitingFiles.ts'
import { clearedIn } from './withheldPlace.ts'

const CHUNK = 500

/** Sets a contact's alias in the book; '' removes the alias [Note: I1]. */
export const nameContact = (live: Live, { userId, name }: { userId: string; name: string }): Promise<void> =>
  changeBook(live, ({ contactNames = {}, ...book }) => {
    const given = { name: name.slice(0, LIMITS.displayNameMax), n: (contactNames[userId]?.n ?? 0) + 1 }
    return { ...book, contactNames: { ...contactNames, [userId]: given } }
  })

/** Notes a block or its end [Note: M8]. */
export const noteBlock = (live: Live, { userId, isBlocked }: { userId: string; isBlocked: boolean }): Promise<void> =>
  changeBook(live, ({ blocks = {}, ...book }) => {
    const noted = { isBlocked, n: (blocks[userId]?.n ?? 0) + 1 }
    return { ...book, blocks: { ...blocks, [userId]: noted } }
  })

const changeBook = (live: Live, change: (book: Book) => Book): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: change(row.book) })])
  })

/** Marks a missing contact as known, for all browsers. */
export const knowVanished = (live: Live, { userId }: { userId: string }): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const pin = row.book.pins[userId]
    if (pin?.isContact) await live.vault.write([bookWrite(decided(row, userId, { ...pin, isContact: false }))])
  })

/** Notes a cleared room in the book, and deletes its messages here. */
export async function clearRoom(
  live: Live,
  { chatRoomId, clearedSeq }: { chatRoomId: string; clearedSeq: number },
): Promise<void> {
  await changeBook(live, ({ clears = {}, ...book }) => {
    const seq = Math.max(clears[chatRoomId] ?? 0, clearedSeq)
    return { ...book, clears: { ...clears, [chatRoomId]: seq } }
  })
  await applyClears(live, { [chatRoomId]: clearedSeq })
}

/** Deletes what other browsers cleared; `shown`: the server's seqs by room id. Returns the changed rooms. */
export async function applyClears(live: Live, shown: Record<string, number>): Promise<string[]> {
  const { book } = await readBook(live)
  const changed: string[] = []
  for (const [chatRoomId, clearedSeq] of Object.entries(shown)) {
    const upTo = clearedIn(book, chatRoomId, clearedSeq)
    if (upTo > 0 && (await deleteUpTo(live, chatRoomId, upTo))) changed.push(chatRoomId)
  }
  // The index drops what lies before the room's first message.
  if (changed.length > 0) await readIntoIndex(live.vault, changed, CHUNK)
  return changed
}

const deleteUpTo = (live: Live, chatRoomId: string, upTo: number): Promise<boolean> =>
  inRoom(live, chatRoomId, async () => {
    // A locked room is cleared after it opens.
    const record = (await live.vault.isOpen(chatRoomId)) ? await roomRecord(live.vault, chatRoomId) : undefined
    if (!record || (record.cleared ?? 0) >= upTo) return false
    const gone: Write[] = []
    const transfers: TransferName[] = []
    for (let after = 0; ; ) {
      const rows = await live.vault.page('messages', chatRoomId, { after, before: upTo + 1, limit: CHUNK })
      for (const { seq, value } of rows) {
        gone.push({ store: 'messages', key: [chatRoomId, seq], value: null })
        const transferId = transferIn(value)
        if (transferId !== undefined) transfers.push({ chatRoomId, transferId })
      }
      after = rows.at(-1)?.seq ?? upTo
      if (rows.length < CHUNK) break
    }
    for (const [, seq] of await live.vault.keys('messages', chatRoomId))
      if (seq < 0 && -seq <= upTo) gone.push({ store: 'messages', key: [chatRoomId, seq], value: null })
    for (const key of await live.vault.keys('sealed', waitingActsIn(chatRoomId))) gone.push({ store: 'sealed', key, value: null })
    gone.push(editWrite(chatRoomId, null))
    await live.vault.write([...gone, recordWrite(chatRoomId, withoutCleared(record, upTo))])
    await dropTransfers(live, transfers)
    await dropFolder(live, chatRoomId)
    return true
  })

const transferShape = z.object({ body: z.object({ content: z.object({ type: z.literal('transfer'), transferId: z.string() }) }) })
const transferIn = ({ json }: VaultValue): string | undefined => transferShape.safeParse(json).data?.body.content.transferId

/** Files of later messages are fetched again, but nobody has what a later transfer brought. */
async function dropFolder(live: Live, chatRoomId: string): Promise<void> {
  const later = new Set((await live.vault.keys('sealed', transfersIn(chatRoomId))).map((key) => receivedFile(nameIn(key))))
  if (later.size === 0) return dropFiles(live.userId, chatRoomId)
  const files = (await listFiles(live.userId, chatRoomId)).get(chatRoomId)
  for (const name of files?.keys() ?? []) if (!later.has(name)) await dropFiles(live.userId, chatRoomId, name)
}

function withoutCleared(record: RoomRecord, upTo: number): RoomRecord {
  const left = <R extends { first: number; last: number }>(ranges: R[]): R[] =>
    ranges.filter(({ last }) => last > upTo).map((range) => ({ ...range, first: Math.max(range.first, upTo + 1) }))
  const { newer } = record
  return {
    ...record,
    ...{ cleared: upTo, from: Math.max(record.from, Math.min(upTo, record.cursor) + 1), waiting: left(record.waiting) },
    ...(newer && { newer: left(newer) }),
  }
}
