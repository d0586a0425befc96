// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { ALICE_ID, BOB_ID, ROOM_ID, shownRoom } from '../../testing/shown.ts'
import type { ShownMessage } from './store.ts'
import { tellListened } from './tellListened.ts'

type Kept = { id: string; content: unknown; failure: string | null; envelope: null }
const kept: Kept[] = []
let count = 0

const env = {
  clock: () => new Date(0),
  crypto: {
    keepInOutbox: async ({ id, content }: Kept) => void kept.push({ id, content, failure: 'Not sent', envelope: null }),
    outbox: async () => kept,
    page: async () => ({ messages: [], from: 0, cursor: 0, isJoined: true, waitsFor: '' }),
  },
} as unknown as Env

const PRIVACY = { presence: true, lastSeen: true, typing: true, receipts: true }
const signsIn = (subscriptionTier: string, privacy = PRIVACY) =>
  accountStore.setState({ phase: 'signed_in', user: { id: ALICE_ID, subscriptionTier, privacy } } as never)

beforeEach(() => {
  kept.length = 0
  resetRooms()
  roomsStore.setState({ rooms: new Map([[ROOM_ID, shownRoom]]) })
  signsIn('premium')
})

/** Bob's, another one each time. */
function voice(change: Partial<ShownMessage> = {}): ShownMessage {
  count += 1
  return { id: `voice ${count}`, seq: count, senderId: BOB_ID, isMine: false, ...change } as ShownMessage
}

/** Says how many words of it wait to be sent. Failed rows are not sent, so nothing of the fake wire is asked. */
async function tells(message: ShownMessage): Promise<unknown[]> {
  await tellListened(env, ROOM_ID, message).catch(() => undefined)
  return kept.map(({ content }) => content)
}

test('What Alice listens to is told once', async () => {
  const message = voice()
  const act = { type: 'listened', target: { senderId: BOB_ID, id: message.id } }
  expect(await tells(message)).toEqual([act])
  expect(await tells(message)).toEqual([act])
})

test.each<[string, () => ShownMessage]>([
  ['her own', () => voice({ isMine: true, senderId: ALICE_ID })],
  ['one that was listened to', () => voice({ listened: '2026-11-29T10:00:00.000Z' })],
  ['one of a request', () => requested()],
  [
    'any, where she hides read marks',
    () => {
      signsIn('premium', { ...PRIVACY, receipts: false })
      return voice()
    },
  ],
  [
    'any, where her plan does not let her send',
    () => {
      signsIn('free')
      return voice()
    },
  ],
])('Nothing is told of %s', async (_, make) => {
  expect(await tells(make())).toEqual([])
})

function requested(): ShownMessage {
  roomsStore.setState({ rooms: new Map([[ROOM_ID, { ...shownRoom, direct: { ...shownRoom.direct, state: 'pending' } }]]) })
  return voice()
}

test('What followed by itself is told minutes later, so that nobody learns when the one before was heard to its end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const told = tellListened(env, ROOM_ID, voice(), true).catch(() => undefined)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(kept).toEqual([])
  await vi.advanceTimersByTimeAsync(242_000)
  await told
  expect(kept).toHaveLength(1)
  const hidden = tellListened(env, ROOM_ID, voice(), true)
  signsIn('premium', { ...PRIVACY, receipts: false })
  await vi.advanceTimersByTimeAsync(301_000)
  await hidden
  expect(kept).toHaveLength(1)
  signsIn('premium')
  const left = tellListened(env, ROOM_ID, voice(), true)
  roomsStore.setState({ rooms: new Map([[ROOM_ID, { ...shownRoom, ownId: BOB_ID }]]) })
  await vi.advanceTimersByTimeAsync(301_000)
  await left
  expect(kept).toHaveLength(1)
  vi.useRealTimers()
})
