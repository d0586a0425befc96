import { randomBytes } from 'node:crypto'
import { longLibrary } from '../client/testing/library.ts'
import type { Ground } from './ground.ts'
import { percentile } from './numbers.ts'
import { type Row, row } from './row.ts'

const PAGE = 50

/**
 * Measures a chat password in a long chat. Everything runs in the browser's worker, so what others see of it is how long that keeps
 * them waiting. IndexedDB is in memory, so the figures leave out the disk's part.
 */
export async function measureChatLock({ isQuick }: Ground): Promise<Row[]> {
  const inRoom = isQuick ? 500 : 10_000
  const library = await longLibrary({ rooms: 2, messages: 2 * inRoom }, (index) => `message ${index} about nothing much`)
  const [chatRoomId = '', otherId = ''] = library.chatRoomIds
  const password = 'correct horse'
  const lockSecret = randomBytes(32).toString('base64')
  const core = await library.open()
  const rooms = { chatRoomIds: library.chatRoomIds }
  while (!(await core.indexRooms(rooms)));

  await core.newChatPassword({ chatRoomId, password })
  await core.makeChatLock({ chatRoomId, lockSecret })
  const others: number[] = []
  let isSealing = true
  const reading = (async () => {
    while (isSealing) {
      others.push(await msOf(() => core.page({ chatRoomId: otherId, limit: PAGE })))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const sealMs = await msOf(() => core.followLocks({ [chatRoomId]: true }))
  isSealing = false
  await reading

  await core.typeChatPassword({ chatRoomId, password })
  const openMs = await msOf(async () => {
    await core.openChatLock({ chatRoomId, lockSecret })
    await core.page({ chatRoomId, limit: PAGE })
  })
  const shutMs = await msOf(() => core.shutChatLock({ chatRoomId }))
  const search = await msOf(() => core.search({ query: 'nothing', limit: PAGE, ...rooms }))
  await core.close()
  const count = inRoom.toLocaleString('en')
  return [
    row('chatlock', `sealing ${count} messages when a chat gets a password`, sealMs / 1000, 's', {
      note: `in the background; a page of another chat took ${percentile(others, 95).toFixed(0)} ms meanwhile (p95), at most ${Math.max(...others).toFixed(0)} ms`,
    }),
    row('chatlock', 'from the right password to its newest page', openMs, 'ms', {
      atMost: 1000,
      note: 'beside Argon2id and the call that verifies it',
    }),
    row('chatlock', 'locking it again', shutMs, 'ms', { atMost: 50 }),
    row('chatlock', 'a search in the other chats while it is locked', search, 'ms', { atMost: 100 }),
  ]
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}
