import type { z } from 'zod'
import { archiveApi } from '../../../contract/chat/archive.ts'
import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import type { Room } from '../list/room.ts'
import { roomById } from '../list/roomList.ts'

const ROUNDS = 400

/** One page alone may be rubbish [Note: H1]. */
export async function readPages(env: Env, { id: chatRoomId }: Pick<Room, 'id'>) {
  const { pages } = await env.api(archiveApi.pages, { chatRoomId })
  const due = new Set(await env.crypto.pagesToRead({ chatRoomId, pages }))
  for (const head of pages) {
    if (!due.has(head.number)) continue
    for (const page of await fetchPages(env, chatRoomId, head)) await env.crypto.takePage({ chatRoomId, page })
  }
  return pages
}

type Head = z.output<typeof archiveApi.pages.output>['pages'][number]

/** The newest stands last. */
async function fetchPages(env: Env, chatRoomId: string, { number, version, before }: Head) {
  const versions = [...(before ? [before.version] : []), version]
  const pages = versions.map(async (each) => {
    try {
      return [await env.api(archiveApi.page, { chatRoomId, number, version: each })]
    } catch (error) {
      if (isRefused(error, 'not_found')) return []
      throw error
    }
  })
  return (await Promise.all(pages)).flat()
}

/** Moves the archive keys into pages that only the chat's seed opens; `isOff` puts the pages under the newest history key. */
export async function writePages(env: Env, { id: chatRoomId }: Pick<Room, 'id'>, isOff = false): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const heads = await readPages(env, { id: chatRoomId })
    const old = isOff ? [] : await env.crypto.pagesOfBefore({ chatRoomId, pages: heads })
    const other = heads.find(isOff ? isUnderSeed : (head) => isUnderHistoryKey(head) || old.includes(head.number))
    const { keys } = other || isOff ? { keys: [] } : await env.api(archiveApi.keysLeft, { chatRoomId })
    if (!other && keys.length === 0) return
    const last = heads.at(-1)
    const isFull = !last || (!other && (await env.crypto.isFullPage({ chatRoomId, number: last.number })))
    const number = other?.number ?? (last?.number ?? -1) + (isFull ? 1 : 0)
    const head = heads.find((each) => each.number === number)
    const pages = head ? await fetchPages(env, chatRoomId, head) : []
    const draft = await env.crypto.writePage({ chatRoomId, number, pages, keys, isOff, isForced: other !== undefined })
    // None of the seals opens here.
    if (!draft) return
    try {
      await env.api(archiveApi.putPage, draft)
      await env.crypto.takePage({ chatRoomId, page: draft, isOwn: true })
    } catch (error) {
      if (!isRefused(error, 'stale_version')) throw error
    }
  }
}

const isUnderSeed = ({ historyKeyId }: Head): boolean => historyKeyId === null

const isUnderHistoryKey = (head: Head): boolean => !isUnderSeed(head)

export async function pageNewEpochs(env: Env, room: Room): Promise<void> {
  if (roomById(room.id)?.lock !== 'open') return
  try {
    await writePages(env, room)
  } catch (error) {
    // The next epoch tries again.
    if (!isRefused(error, 'key_bytes_reached')) throw error
  }
}
