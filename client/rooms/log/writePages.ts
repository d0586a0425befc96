import { archiveApi } from '../../../contract/chat/archive.ts'
import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import type { Room } from '../list/room.ts'
import { fetchPages, type Head, readPages } from './readPages.ts'

const ROUNDS = 400

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
