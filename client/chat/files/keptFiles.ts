import type { Content } from '../../../contract/chat/content.ts'
import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import type { Env } from '../../env.ts'
import { isShut, roomById } from '../../rooms/list/roomList.ts'
import { type Look, lookOf } from './fileWords.ts'
import { openedStore } from './openedFiles.ts'
import { transferAsFile } from './transferAsFile.ts'

const PAGE = 200

/** `other`: no message on this device names the file. */
export type Kind = Exclude<Look, 'voice' | 'audio'> | 'sound' | 'other'

interface Sum {
  files: number
  bytes: number
}

/** Bytes. */
export interface Kept {
  kinds: Record<Kind, number>
  /** Largest first, without locked chats. */
  chats: { chatRoomId: string; bytes: number }[]
  /** A sum, which hides the locked chats' parts and kinds. */
  locked: { chatRoomIds: string[]; bytes: number }
  /** Chats outside the list. */
  left: { chatRoomIds: string[]; bytes: number }
  waitingBytes: number
  /** Open chats have them: offered files and pieces, which stay like what waits, and received files, which no server has. */
  direct: { offered: Sum; arriving: Sum; received: { chatRoomId: string; files: number }[] }
  /** All storage of the site; undefined if the browser does not say. */
  totalBytes: number | undefined
  /** False if files exist only in memory, which `totalBytes` does not count. */
  isOnDisk: boolean
}

export async function readKept(env: Env): Promise<Kept> {
  const { rooms, waitingBytes, isOnDisk } = await env.crypto.keptFiles()
  const kinds: Kept['kinds'] = { picture: 0, video: 0, sound: 0, document: 0, other: 0 }
  const kept: Kept = {
    kinds,
    chats: [],
    locked: { chatRoomIds: [], bytes: 0 },
    left: { chatRoomIds: [], bytes: 0 },
    ...withoutDirect(waitingBytes, await directOf(env)),
    totalBytes: (await globalThis.navigator?.storage?.estimate?.())?.usage,
    isOnDisk,
  }
  for (const { chatRoomId, files } of rooms) {
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes === 0) continue
    const place = isShut({ id: chatRoomId }) ? kept.locked : roomById(chatRoomId) ? undefined : kept.left
    if (place) {
      place.chatRoomIds.push(chatRoomId)
      place.bytes += bytes
      continue
    }
    kept.chats.push({ chatRoomId, bytes })
    const kindOf = await kindsIn(env, chatRoomId, new Set(files.map(({ object }) => object)))
    for (const { object, bytes } of files) kinds[kindOf.get(object) ?? 'other'] += bytes
  }
  kept.chats.sort((a, b) => b.bytes - a.bytes)
  return kept
}

async function directOf(env: Env): Promise<Kept['direct']> {
  const direct: Kept['direct'] = { offered: { files: 0, bytes: 0 }, arriving: { files: 0, bytes: 0 }, received: [] }
  for (const { chatRoomId, content, stage, have, isKept } of await env.crypto.transferRows()) {
    if (stage === 'done') {
      const room = direct.received.find((one) => one.chatRoomId === chatRoomId)
      if (room) room.files += 1
      else direct.received.push({ chatRoomId, files: 1 })
      continue
    }
    if (!isKept) continue
    const sum = stage === 'offered' ? direct.offered : direct.arriving
    sum.files += 1
    sum.bytes += stage === 'offered' ? content.sizeBytes : Math.min(content.sizeBytes, have * TRANSFER_LIMITS.chunkBytes)
  }
  return direct
}

/** The worker counts both together. */
const withoutDirect = (waitingBytes: number, direct: Kept['direct']) => ({
  waitingBytes: Math.max(0, waitingBytes - direct.offered.bytes - direct.arriving.bytes),
  direct,
})

/** Reads the chat from the end until all objects are found. */
async function kindsIn(env: Env, chatRoomId: string, wanted: Set<string>): Promise<Map<string, Kind>> {
  const kinds = new Map<string, Kind>()
  for (let before: number | undefined; kinds.size < wanted.size; ) {
    const { messages } = await env.crypto.page({ chatRoomId, limit: PAGE, ...(before !== undefined && { before }) })
    for (const { body } of messages) {
      const file = body.kind === 'content' ? anyFileIn(body.content) : undefined
      if (!file || !wanted.has(file.object)) continue
      const look = lookOf(file)
      kinds.set(file.object, look === 'voice' || look === 'audio' ? 'sound' : look)
    }
    before = messages[0]?.seq
    if (messages.length < PAGE || before === undefined) break
  }
  return kinds
}

const anyFileIn = (content: Content) => fileIn(content) ?? (content.type === 'transfer' ? transferAsFile(content) : undefined)

/** Excludes files that wait to be sent. */
export const clearableBytes = ({ chats, locked, left }: Kept): number =>
  [...chats, locked, left].reduce((sum, { bytes }) => sum + bytes, 0)

/** Keeps files that wait to be sent. Opening a deleted file fetches the file again, but what was received directly is gone. */
export async function clearKept(env: Env, chatRoomIds: string[]): Promise<void> {
  await env.crypto.dropKept(chatRoomIds)
  const { urls } = openedStore.getState()
  const isGone = new Set(chatRoomIds)
  for (const { chatRoomId, url } of urls.values()) if (isGone.has(chatRoomId)) URL.revokeObjectURL(url)
  openedStore.setState({ urls: new Map([...urls].filter(([, { chatRoomId }]) => !isGone.has(chatRoomId))) })
}
