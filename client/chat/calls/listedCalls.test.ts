import { expect, test } from 'vitest'
import type { Env } from '../../env.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { type CallListing, newListing, readMore } from './listedCalls.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 26, 0, minute)).toISOString()

/** A vault in which each chat has these messages; `call` marks the minutes of calls. */
function vault(chats: Record<string, { last: number; calls: number[] }>) {
  const pages: string[] = []
  const page = async ({ chatRoomId, before, limit }: { chatRoomId: string; before?: number; limit: number }) => {
    pages.push(chatRoomId)
    const { last, calls } = chats[chatRoomId] ?? { last: 0, calls: [] }
    const end = Math.min(last, (before ?? last + 1) - 1)
    const first = Math.max(1, end - limit + 1)
    const messages = Array.from({ length: Math.max(0, end - first + 1) }, (_, index) => {
      const seq = first + index
      const content = calls.includes(seq)
        ? { type: 'call', callId: `${chatRoomId}-${seq}`, callType: 'voice', outcome: 'answered', seconds: 1, isCompared: false }
        : { type: 'text', text: 'x' }
      return { id: `${seq}`, seq, at: at(seq), senderId: 'alice', chatRoomId, body: { kind: 'content', content } }
    })
    return { messages, from: 1 }
  }
  const rooms = Object.entries(chats).map(([id, { last }]) => ({
    ...{ id, ownId: 'alice', direct: { state: 'accepted' }, lock: 'none' },
    lastMessage: { createdAt: at(last) },
  }))
  return { env: { crypto: { page } } as unknown as Env, rooms: rooms as unknown as RoomRow[], pages }
}

async function readUntil(env: Env, from: CallListing, isEnough: (listing: CallListing) => boolean): Promise<CallListing> {
  let listing = from
  while (!isEnough(listing)) listing = await readMore(env, listing)
  return listing
}

test('Calls of several chats are listed newest first, and none is listed before a newer one was looked for', async () => {
  const { env, rooms } = vault({ bob: { last: 900, calls: [890, 300, 10] }, carol: { last: 880, calls: [870, 500] } })
  const seen: string[][] = []
  await readUntil(env, newListing(rooms), (listing) => {
    seen.push(listing.calls.map(({ call }) => call.callId))
    return listing.isWhole
  })
  const all = ['bob-890', 'carol-870', 'carol-500', 'bob-300', 'bob-10']
  expect(seen.at(-1)).toEqual(all)
  for (const calls of seen) expect(calls).toEqual(all.slice(0, calls.length))
})

test('The newest calls are found without reading what is far older', async () => {
  const { env, rooms, pages } = vault({ bob: { last: 5000, calls: [4990] }, carol: { last: 100, calls: [90] } })
  const { calls } = await readUntil(env, newListing(rooms), (listing) => listing.calls.length > 0)
  expect(calls.map(({ call }) => call.callId)).toEqual(['bob-4990'])
  expect(pages).toEqual(['bob'])
})

test('A locked chat and a request have no calls in the list', () => {
  const { rooms } = vault({ bob: { last: 5, calls: [1] }, carol: { last: 5, calls: [1] }, dave: { last: 5, calls: [1] } })
  const [bob, carol, dave] = rooms as [RoomRow, RoomRow, RoomRow]
  const asking = { ...dave, direct: { state: 'pending' } } as RoomRow
  expect(newListing([bob, { ...carol, lock: 'shut' }, asking]).readings.map(({ room }) => room.id)).toEqual(['bob'])
})
