import { archiveApi } from '../../../contract/chat/archive.ts'
import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import type { Room } from '../list/room.ts'
import { roomById } from '../list/roomList.ts'

const ROUNDS = 400

/** [Note: L1] */
export async function readPages(env: Env, { id: chatRoomId }: Pick<Room, 'id'>) {
  const { pages } = await env.api(archiveApi.pages, { chatRoomId })
  for (const number of await env.crypto.pagesToRead({ chatRoomId, pages }))
    await env.crypto.takePage({ chatRoomId, page: await env.api(archiveApi.page, { chatRoomId, number }) })
  return pages
}

/** Moves the archive keys into pages that only the chat's seed opens; `isOff` puts the pages under the newest history key. */
export async function writePages(env: Env, { id: chatRoomId }: Pick<Room, 'id'>, isOff = false): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const pages = await readPages(env, { id: chatRoomId })
    const other = pages.find(({ historyKeyId }) => (historyKeyId === null) === isOff)
    const { keys } = other || isOff ? { keys: [] } : await env.api(archiveApi.keysLeft, { chatRoomId })
    const last = pages.at(-1)
    const isNew = !other && (!last || (await env.crypto.isFullPage({ chatRoomId, number: last.number })))
    const number = other?.number ?? (isNew ? (last?.number ?? -1) + 1 : (last?.number ?? 0))
    if (!other && keys.length === 0) return
    const page = isNew ? null : await env.api(archiveApi.page, { chatRoomId, number })
    const draft = await env.crypto.writePage({ chatRoomId, number, page, keys, isOff })
    // None of the seals opens here.
    if (!draft) return
    try {
      await env.api(archiveApi.putPage, draft)
      await env.crypto.takePage({ chatRoomId, page: draft })
    } catch (error) {
      if (!isRefused(error, 'stale_version')) throw error
    }
  }
}

export async function pageNewEpochs(env: Env, room: Room): Promise<void> {
  if (roomById(room.id)?.lock !== 'open') return
  try {
    await writePages(env, room)
  } catch (error) {
    // The seals stay at the server, and the next epoch asks again.
    if (!isRefused(error, 'key_bytes_reached')) throw error
  }
}
