import { z } from 'zod'
import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import { type FileContent, readContent } from '../../contract/content.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { randomBytes } from '../primitives/seal.ts'
import { dropFiles, keepSent, readFile, WAITING, writeFile } from '../vault/disk.ts'
import { seqOfMessage } from '../vault/messages.ts'
import { jsonOf } from '../vault/rows.ts'
import type { Write } from '../vault/vault.ts'
import type { Live } from './live.ts'
import { newRow, newWrites, outboxOf, ownRow, withOutbox } from './outbox.ts'
import { openFile as open, sealFile, storedBytesOf } from './sealedfile.ts'
import { UPLOADS, type UploadRow, uploadsIn } from './uploadrows.ts'

// Files of messages: sealed before they go out, opened when they are looked at. Sealed bytes lie in the browser's own file system, keys
// in rows of the vault, so that a chat with a password keeps those of its files under it [Note: A1, L1].

const rowShape: z.ZodType<UploadRow> = z.looseObject({
  id: z.string(),
  chatRoomId: z.string(),
  sentAt: z.string(),
  order: z.number(),
  content: z.custom<UploadRow['content']>((json) => typeof json === 'object' && readContent({ ...json, object: NO_OBJECT })),
  object: z.string().nullable(),
  isPaused: z.boolean(),
  failure: z.string().nullable(),
  isKept: z.boolean(),
})
/** Stands where the server has not named one yet. */
const NO_OBJECT = '00000000-0000-4000-8000-000000000000'

const rowKey = ({ chatRoomId, id }: Name) => `${uploadsIn(chatRoomId)}${id}`
const rowWrite = (row: UploadRow): Write => ({ store: 'sealed', key: rowKey(row), value: { json: row } })
const gone = (name: Name): Write => ({ store: 'sealed', key: rowKey(name), value: null })

interface Name {
  chatRoomId: string
  id: string
}

/** What a person sends, and what is said of it. */
export type NewFile = Pick<UploadRow, 'id' | 'chatRoomId' | 'sentAt'> & {
  file: Blob
  about: Pick<FileContent, 'as' | 'name' | 'mediaType' | 'caption' | 'picture' | 'voice'>
}

/** Seals a file under a key of its own and keeps it until it is sent. Throws CryptoFailure: 'quota', 'file_read'. */
export async function keepUpload(live: Live, { file, about, ...message }: NewFile): Promise<UploadRow> {
  const key = randomBytes(32)
  const { result: hash, isKept } = await writeFile([live.userId, WAITING, message.id], sealFile(key, file))
  const sealed = { key: toBase64(key), hash: toBase64(hash), sizeBytes: file.size, storedBytes: storedBytesOf(file.size) }
  const content = { type: 'file' as const, ...about, ...sealed }
  const row = { ...message, order: Date.now() * 1000, content, object: null, isPaused: false, failure: null, isKept }
  try {
    await live.vault.write([rowWrite(row)])
  } catch (error) {
    await dropFiles(live.userId, WAITING, message.id)
    throw error
  }
  return row
}

/** The files that wait to be sent, in order; none of a locked chat. */
export async function uploads({ vault }: Live): Promise<UploadRow[]> {
  const rows = (await vault.named(UPLOADS)).map(({ value }) => jsonOf(rowShape, value))
  return rows.sort((a, b) => a.order - b.order)
}

async function uploadOf({ vault }: Live, name: Name): Promise<UploadRow | undefined> {
  const row = await vault.get('sealed', rowKey(name))
  return row && jsonOf(rowShape, row)
}

/** Changes what is noted of a file that waits; nothing if it has gone meanwhile. */
export function changeUpload(
  live: Live,
  { change, ...name }: Name & { change: Partial<Pick<UploadRow, 'object' | 'isPaused' | 'failure'>> },
): Promise<void> {
  return withOutbox(live, name.chatRoomId, async () => {
    const row = await uploadOf(live, name)
    if (row) await live.vault.write([rowWrite({ ...row, ...change })])
  })
}

/** The sealed bytes of a file that waits. Throws CryptoFailure('file_absent') if they are not here any more. */
export async function uploadBytes(live: Live, { id }: Name): Promise<Blob> {
  const bytes = await readFile(live.userId, WAITING, id)
  if (!bytes) throw new CryptoFailure('file_absent', 'This file is not kept in this browser any more. Choose it again')
  return bytes
}

/** Gives up a file that waits. */
export function dropUpload(live: Live, name: Name): Promise<void> {
  return withOutbox(live, name.chatRoomId, async () => {
    await live.vault.write([gone(name)])
    await dropFiles(live.userId, WAITING, name.id)
  })
}

/**
 * Puts the message of a file that the server has stored into the outbox, in one step with the end of its upload: it is never in both, and
 * never in none.
 */
export function uploadDone(live: Live, name: Name & { object: string }): Promise<void> {
  const { chatRoomId, id, object } = name
  return withOutbox(live, chatRoomId, async () => {
    const row = await uploadOf(live, name)
    if (!row) return
    const isKnown =
      (await ownRow(live, id)) !== undefined ||
      (await seqOfMessage(live.vault, { chatRoomId, senderId: live.userId, id })) !== undefined
    const content: FileContent = { ...row.content, object }
    const message = { id, chatRoomId, content, replyToId: null, sentAt: row.sentAt }
    const kept = isKnown ? [] : newWrites(newRow(message, await outboxOf(live, chatRoomId)))
    await live.vault.write([...kept, gone(name)])
    await keepSent(live.userId, id, [chatRoomId, object])
  })
}

async function* chunksOf(bytes: Blob) {
  const step = 1024 * 1024
  for (let at = 0; at < bytes.size; at += step) yield new Uint8Array(await bytes.slice(at, at + step).arrayBuffer())
}

/**
 * Opens a message's file: `sealed` as the server has answered it, which is then kept, or what this browser keeps of it, undefined where
 * that is nothing. Throws what `openFile` of `sealedfile.ts` throws.
 */
export async function openFile(
  live: Live,
  { chatRoomId, content, sealed }: { chatRoomId: string; content: FileContent; sealed?: Blob },
): Promise<Blob | undefined> {
  const place: [string, string, string] = [live.userId, chatRoomId, content.object]
  const bytes = sealed ?? (await readFile(...place))
  if (!bytes) return undefined
  const stated = { ...content, key: fromBase64(content.key), hash: fromBase64(content.hash) }
  try {
    const opened = await open(stated, bytes)
    // A browser without space shows it all the same; another tab may be writing it.
    if (sealed) await writeFile(place, chunksOf(sealed)).catch(passOverUnkept)
    return opened
  } catch (error) {
    // What does not open is fetched again at the next try.
    if (!sealed) await dropFiles(...place)
    throw error
  }
}

function passOverUnkept(error: unknown): void {
  const isFull = error instanceof CryptoFailure && error.code === 'quota'
  if (!isFull && !(error instanceof DOMException && error.name === 'NoModificationAllowedError')) throw error
}
