// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import type { Env } from '../../env.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { ALICE_ID, BOB_ID, ROOM_ID, shownRoom } from '../../testing/shown.ts'
import type { ShownMessage } from './store.ts'
import { tellListened } from './tellListened.ts'

type Kept = { id: string; content: unknown; failure: string | null; envelope: null }
const kept: Kept[] = []
let refusal: string | null = null
let count = 0

const env = {
  clock: () => new Date(0),
  crypto: {
    keepInOutbox: async ({ id, content }: Kept) => void kept.push({ id, content, failure: refusal, envelope: null }),
    outbox: async () => kept,
    dropFromOutbox: async ({ id }: Kept) => void kept.splice(0, kept.length, ...kept.filter((row) => row.id !== id)),
    page: async () => ({ messages: [], from: 0, cursor: 0, isJoined: true, waitsFor: '' }),
  },
} as unknown as Env

const PRIVACY = { presence: true, lastSeen: true, typing: true, receipts: true }
const signsIn = (subscriptionTier: string, privacy = PRIVACY) =>
  accountStore.setState({ phase: 'signed_in', user: { id: ALICE_ID, subscriptionTier, privacy } } as never)

beforeEach(() => {
  kept.length = 0
  refusal = null
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

test('What the server refuses does not wait', async () => {
  refusal = 'Too many'
  expect(await tells(voice())).toEqual([])
})
