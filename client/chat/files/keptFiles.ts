import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import type { Env } from '../../env.ts'
import { isShut, roomById } from '../../rooms/list/roomList.ts'
import { type Look, lookOf } from './fileWords.ts'
import { openedStore } from './openedFiles.ts'

const PAGE = 200

/** `other`: no message on this device names the file. */
export type Kind = Exclude<Look, 'voice' | 'audio'> | 'sound' | 'other'

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
    waitingBytes,
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

/** Reads the chat from the end until all objects are found. */
async function kindsIn(env: Env, chatRoomId: string, wanted: Set<string>): Promise<Map<string, Kind>> {
  const kinds = new Map<string, Kind>()
  for (let before: number | undefined; kinds.size < wanted.size; ) {
    const { messages } = await env.crypto.page({ chatRoomId, limit: PAGE, ...(before !== undefined && { before }) })
    for (const { body } of messages) {
      const file = body.kind === 'content' ? fileIn(body.content) : undefined
      if (!file || !wanted.has(file.object)) continue
      const look = lookOf(file)
      kinds.set(file.object, look === 'voice' || look === 'audio' ? 'sound' : look)
    }
    before = messages[0]?.seq
    if (messages.length < PAGE || before === undefined) break
  }
  return kinds
}

/** Excludes files that wait to be sent. */
export const clearableBytes = ({ chats, locked, left }: Kept): number =>
  [...chats, locked, left].reduce((sum, { bytes }) => sum + bytes, 0)

/** Keeps files that wait to be sent. Opening a deleted file fetches the file again. */
export async function clearKept(env: Env, chatRoomIds: string[]): Promise<void> {
  await env.crypto.dropKept(chatRoomIds)
  const { urls } = openedStore.getState()
  const isGone = new Set(chatRoomIds)
  for (const { chatRoomId, url } of urls.values()) if (isGone.has(chatRoomId)) URL.revokeObjectURL(url)
  openedStore.setState({ urls: new Map([...urls].filter(([, { chatRoomId }]) => !isGone.has(chatRoomId))) })
}
