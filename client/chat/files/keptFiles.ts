import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import type { Env } from '../../env.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { isShut } from '../../rooms/list/roomLocks.ts'
import { type Look, lookOf } from './fileWords.ts'
import { openedStore } from './openedFiles.ts'

const PAGE = 200

/** What files of a chat are. `other`: no message that is here names it. */
export type Kind = Exclude<Look, 'voice' | 'audio'> | 'sound' | 'other'

/** What this browser keeps of files, in bytes. */
export interface Kept {
  kinds: Record<Kind, number>
  /** Chats that are not locked, those with most first. */
  chats: { chatRoomId: string; bytes: number }[]
  /** Of chats that are locked now: which of them, and what, is not said. */
  locked: { chatRoomIds: string[]; bytes: number }
  /** Of chats that are no longer in the list. */
  left: { chatRoomIds: string[]; bytes: number }
  /** What waits to be sent. */
  waitingBytes: number
  /** All that the browser counts for this site, with messages, search and the app itself; undefined where it does not say. */
  totalBytes: number | undefined
  /** False if this browser holds files in memory alone, until the page is closed: `totalBytes` has none of them. */
  isOnDisk: boolean
}

/** Reads what this browser keeps of files, by kind and by chat. Throws CryptoFailure. */
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

/** What these objects are, by the messages that name them. Reads the chat from its end until all are found. */
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

/** All that is kept of files, without what waits to be sent. */
export const clearableBytes = ({ chats, locked, left }: Kept): number =>
  [...chats, locked, left].reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Deletes what this browser keeps of the files of these chats, on its disk and in this page. They are fetched again when they are
 * opened. What waits to be sent stays.
 */
export async function clearKept(env: Env, chatRoomIds: string[]): Promise<void> {
  await env.crypto.dropKept(chatRoomIds)
  const { urls } = openedStore.getState()
  const isGone = new Set(chatRoomIds)
  for (const { chatRoomId, url } of urls.values()) if (isGone.has(chatRoomId)) URL.revokeObjectURL(url)
  openedStore.setState({ urls: new Map([...urls].filter(([, { chatRoomId }]) => !isGone.has(chatRoomId))) })
}
