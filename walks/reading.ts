import { unzipSync } from 'fflate'
import { exportAccount } from '../client/chat/export/export.ts'
import type { Env } from '../client/env.ts'
import { accountStore } from '../client/me/account/accountState.ts'
import type { RoomRow } from '../client/rooms/list/roomList.ts'

/** What a person at a page reads elsewhere than in the chat. */
export const readingVerbs = (env: Env, theRoom: () => RoomRow) => ({
  /** Returns the places of all messages of the chat in which the search finds this. */
  async finds(query: string): Promise<number[]> {
    const chatRoomIds = [theRoom().id]
    for (;;) {
      const { messages, isComplete } = await env.crypto.search({ query, chatRoomIds, limit: Number.MAX_SAFE_INTEGER })
      if (isComplete) return messages.map(({ seq }) => seq).sort((a, b) => a - b)
      await env.crypto.indexRooms({ chatRoomIds })
    }
  },
  /** Returns the place and the words of each message that an export of the chat has. */
  async exports(): Promise<string[]> {
    const { user } = accountStore.getState()
    if (!user) throw new Error('Nobody is signed in')
    const { signal } = new AbortController()
    const { archive } = await exportAccount(env, user, {
      rooms: [theRoom()],
      hasFiles: false,
      onProgress: () => undefined,
      signal,
    })
    const files = unzipSync(new Uint8Array(await archive.arrayBuffer()))
    const [, bytes] = Object.entries(files).find(([name]) => /^[^/]+\/.*\.json$/.test(name)) ?? []
    const { messages } = JSON.parse(new TextDecoder().decode(bytes)) as { messages: { seq: number; text: string | null }[] }
    return messages.map(({ seq, text }) => `${seq} ${text}`)
  },
})
