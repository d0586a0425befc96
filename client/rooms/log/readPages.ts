import type { z } from 'zod'
import { archiveApi } from '../../../contract/chat/archive.ts'
import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import type { Room } from '../list/room.ts'

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

export type Head = z.output<typeof archiveApi.pages.output>['pages'][number]

/** The newest stands last. */
export async function fetchPages(env: Env, chatRoomId: string, { number, version, before }: Head) {
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
