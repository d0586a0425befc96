import { z } from 'zod'
import { type FileContent, readContent } from '../../../contract/chat/content.ts'
import { storedBytesOf } from '../../../contract/chat/objects.ts'
import { fileOfOnce, onceOf } from '../../../contract/chat/oncefiles.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { keptOf, newRow, newWrites, outboxOf, ownRow, withOutbox } from '../messages/outbox.ts'
import { nextOrder, QUEUE, queueFull } from '../messages/queue.ts'
import { droppedWrites } from '../messages/unsent.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { randomBytes } from '../primitives/seal.ts'
import { forgetReceived } from '../transfers/dropping.ts'
import { dropFiles, listFiles, moveFile, passOverOpen, readFile, WAITING, writeFile, writesToDisk } from '../vault/disk.ts'
import { exclusive } from '../vault/exclusive.ts'
import { seqOfMessage } from '../vault/storedMessage.ts'
import { dropStrays, waitingOf } from '../vault/strays.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { idOfFile, isTransferFile, UPLOADS, uploadsIn } from '../vault/waitingFiles.ts'
import { sealFile } from './sealedfile.ts'
import * as handout from './sealedSteps.ts'
import type { UploadRow } from './uploadrows.ts'

// The vault has the keys, so that a locked room seals these [Note: A1, L1].

const rowShape: z.ZodType<UploadRow> = z.looseObject({
  id: z.string(),
  chatRoomId: z.string(),
  sentAt: z.string(),
  order: z.number(),
  isQueued: z.literal(true).exactOptional(),
  isOnce: z.literal(true).exactOptional(),
  content: z.custom<UploadRow['content']>((json) => typeof json === 'object' && readContent({ ...json, object: NO_OBJECT })),
  begun: z.object({ object: z.string(), uploadId: z.string().nullable() }).nullable().default(null),
  object: z.string().nullable(),
  isPaused: z.boolean(),
  failure: z.string().nullable(),
  isLost: z.boolean().default(false),
  isCancelled: z.boolean().default(false),
  isKept: z.boolean(),
})
const NO_OBJECT = '00000000-0000-4000-8000-000000000000'

const rowKey = ({ chatRoomId, id }: Name) => `${uploadsIn(chatRoomId)}${id}`
function rowWrite(row: UploadRow): Write {
  const { isQueued = false, isPaused, failure, isCancelled } = row
  const isHolding = isQueued && !isPaused && failure === null && !isCancelled
  return { store: 'sealed', key: rowKey(row), value: { json: { ...row, isHolding } } }
}
const gone = (name: Name): Write => ({ store: 'sealed', key: rowKey(name), value: null })

const MIB = 1024 * 1024
const FRESH = { begun: null, object: null, isPaused: false, failure: null, isLost: false, isCancelled: false }

interface Name {
  chatRoomId: string
  id: string
}

/** Without `file`, `sealAhead` sealed this id. */
export type NewFile = Pick<UploadRow, 'id' | 'chatRoomId' | 'sentAt' | 'isQueued' | 'isOnce'> & {
  file?: Blob
  about: Pick<
    FileContent,
    'as' | 'name' | 'mediaType' | 'caption' | 'picture' | 'voice' | 'seconds' | 'album' | 'quote' | 'isForwarded'
  >
}

type Sealed = Pick<FileContent, 'key' | 'hash' | 'sizeBytes' | 'storedBytes'>

/** No other place has these keys. */
const ahead = new Map<string, Promise<{ sealed: Sealed; isKept: boolean }>>()

async function seal({ userId }: Live, id: string, file: Blob): Promise<{ sealed: Sealed; isKept: boolean }> {
  const key = randomBytes(32)
  const sealing = handout.handOut(id, sealFile(key, file))
  const { result: hash, isKept } = await writeFile([userId, WAITING, id], sealing).finally(() => handout.endHandOut(id))
  const sealed = { key: toBase64(key), hash: toBase64(hash), sizeBytes: file.size, storedBytes: storedBytesOf(file.size) }
  return { sealed, isKept }
}

/** Seals a file before it is sent. Throws 'quota', 'file_read'. */
export async function sealAhead(live: Live, { id, file }: { id: string; file: Blob }): Promise<void> {
  const sealing = seal(live, id, file)
  ahead.set(id, sealing)
  await sealing
}

/** Deletes what `sealAhead` sealed. */
export async function dropAhead(live: Live, { id }: { id: string }): Promise<void> {
  const sealing = ahead.get(id)
  ahead.delete(id)
  if (await sealing?.catch(() => undefined)) await dropFiles(live.userId, WAITING, id)
  await dropStrays(live)
}

/** Seals and keeps a file until sent. Throws 'quota', 'file_read', 'file_absent', 'queue_full'. */
export async function keepUpload(live: Live, { file, about, ...message }: NewFile): Promise<UploadRow> {
  await requireSpace(live, file)
  const sealing = file ? seal(live, message.id, file) : ahead.get(message.id)
  ahead.delete(message.id)
  const { sealed, isKept } = (await sealing) ?? absent()
  const content = { type: 'file' as const, ...about, ...sealed }
  try {
    return await withOutbox(live, message.chatRoomId, async () => {
      const row = { ...message, ...FRESH, order: await nextOrder(live, message.chatRoomId, 1), content, isKept }
      await live.vault.write([rowWrite(row)])
      return row
    })
  } catch (error) {
    await dropFiles(live.userId, WAITING, message.id)
    throw error
  }
}

/** What was sealed ahead lies there already, and so do transfers, which have bounds of their own. */
async function requireSpace({ userId }: Live, file: Blob | undefined): Promise<void> {
  const waiting = (await listFiles(userId, WAITING)).get(WAITING) ?? []
  const uploads = [...waiting].filter(([name]) => !isTransferFile(name))
  const bytes = uploads.reduce((sum, [, { size }]) => sum + size, file ? storedBytesOf(file.size) : 0)
  if (bytes > QUEUE.fileBytes) throw queueFull(`Files of ${QUEUE.fileBytes / MIB} MB wait in this browser`)
}

/** Returns a step's sealed bytes. */
export const sealedStep = (_: Live, { id, at }: { id: string; at: number }): Promise<Blob | undefined> =>
  handout.sealedStep(id, at)

/** Returns waiting files of open rooms. */
export async function uploads(live: Live): Promise<UploadRow[]> {
  await dropStrays(live)
  const rows = (await live.vault.named(UPLOADS)).map(({ value }) => jsonOf(rowShape, value))
  return rows.sort((a, b) => a.order - b.order)
}

async function uploadOf({ vault }: Live, name: Name): Promise<UploadRow | undefined> {
  const row = await vault.get('sealed', rowKey(name))
  return row && jsonOf(rowShape, row)
}

type Change = Partial<Pick<UploadRow, 'begun' | 'object' | 'isPaused' | 'failure' | 'isLost' | 'isCancelled'>>

/** Changes a waiting file; null deletes. Returns undefined if gone. */
export function changeUpload(live: Live, { change, ...name }: Name & { change: Change | null }): Promise<UploadRow | undefined> {
  return withOutbox(live, name.chatRoomId, async () => {
    const row = await uploadOf(live, name)
    const changed = row && change ? { ...row, ...change } : undefined
    if (changed) await live.vault.write([rowWrite(changed)])
    if (change) return changed
    await live.vault.write([gone(name)])
    await dropFiles(live.userId, WAITING, name.id)
    return undefined
  })
}

/** Throws 'file_absent' if this browser lost the file. */
export const uploadBytes = async ({ userId }: Live, { id }: Name): Promise<Blob> =>
  (await readFile(userId, WAITING, id)) ?? absent()

function absent(): never {
  throw new CryptoFailure('file_absent', 'This file is not kept in this browser any more. Choose it again')
}

/** Moves the message to the outbox in one step. */
export function uploadDone(live: Live, name: Name & { object: string }): Promise<void> {
  const { chatRoomId, id, object } = name
  return withOutbox(live, chatRoomId, async () => {
    const row = await uploadOf(live, name)
    if (!row || row.isCancelled || row.isPaused) return
    const isKnown =
      (await ownRow(live, id)) !== undefined ||
      (await seqOfMessage(live.vault, { chatRoomId, senderId: live.userId, id })) !== undefined
    const file: FileContent = { ...row.content, object }
    const message = { id, chatRoomId, content: (row.isOnce && onceOf(file)) ?? file, replyToId: null, sentAt: row.sentAt }
    const rows = await outboxOf(live, chatRoomId)
    const keepsPlace = row.isQueued && rows.every(({ order }) => order !== row.order)
    const kept = isKnown ? [] : newWrites(newRow(message, keepsPlace ? row.order : await nextOrder(live, chatRoomId)))
    await live.vault.write([...kept, gone(name)])
    await moveFile(live.userId, [WAITING, id], [chatRoomId, object])
  })
}

/** Makes a refused message wait again. */
export function takeBackUpload(live: Live, name: Name & { newId: string }): Promise<UploadRow | undefined> {
  const { chatRoomId, newId: id } = name
  return withOutbox(live, chatRoomId, async () => {
    const kept = await keptOf(live, chatRoomId, name.id)
    const whole = kept && readContent(kept.row.content)
    const file = whole?.type === 'once' ? fileOfOnce(whole) : whole
    if (!kept || file?.type !== 'file') return undefined
    const { object, ...content } = file
    const once = whole?.type === 'once' && { isOnce: true as const }
    const begun = { object, uploadId: null }
    return exclusive(waitingOf(live.userId), async () => {
      const isKept = await moveFile(live.userId, [chatRoomId, object], [WAITING, id])
      const row = { ...FRESH, id, chatRoomId, sentAt: kept.row.sentAt, order: Date.now() * 1000, content, begun, isKept, ...once }
      await live.vault.write([...droppedWrites(chatRoomId, name.id, kept), rowWrite(row)])
      return row
    })
  })
}

/** Sizes of sealed bytes. */
export interface KeptFiles {
  /** Locked rooms are included. */
  rooms: { chatRoomId: string; files: { object: string; bytes: number }[] }[]
  waitingBytes: number
  /** False: the page's end deletes files. */
  isOnDisk: boolean
}

export async function keptFiles(live: Live): Promise<KeptFiles> {
  const { userId } = live
  await dropStrays(live)
  const { [WAITING]: waiting, ...rooms } = Object.fromEntries(await listFiles(userId))
  return {
    rooms: Object.entries(rooms).map(([chatRoomId, files]) => ({
      chatRoomId,
      files: [...files].map(([name, { size: bytes }]) => ({ object: idOfFile(name), bytes })),
    })),
    waitingBytes: [...(waiting?.values() ?? [])].reduce((sum, { size }) => sum + size, 0),
    isOnDisk: await writesToDisk(userId),
  }
}

/** Deletes kept files, except those a tab writes. */
export async function dropKept(live: Live, chatRoomIds: string[]): Promise<void> {
  const folders = await listFiles(live.userId)
  for (const chatRoomId of chatRoomIds.filter((id) => id !== WAITING)) {
    const names = [...(folders.get(chatRoomId)?.keys() ?? [])]
    for (const name of names) await dropFiles(live.userId, chatRoomId, name).catch(passOverOpen)
    await forgetReceived(live, chatRoomId, names)
  }
}
