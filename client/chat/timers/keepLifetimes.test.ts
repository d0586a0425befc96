import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import { ApiError } from '../../net/api.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { withMark } from '../../rooms/list/room.ts'
import { changeRoom, latestRoom, resetRooms, roomById } from '../../rooms/list/roomList.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { markSeen } from '../messages/markSeen.ts'
import { resetMessages, showRoom } from '../messages/messages.ts'
import { refreshRoom } from '../messages/messageWindow.ts'
import { chooseReply, openReply, replyIn } from '../messages/replies.ts'
import { messagesStore } from '../messages/store.ts'
import { followLifetimes } from './followLifetimes.ts'
import { setTimer } from './setTimer.ts'

const HOUR = 3600

afterEach(() => {
  resetMessages()
  resetRooms()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const shown = () =>
  (messagesStore.getState().open?.messages ?? []).map(({ body, lifetime }) => [
    'text' in body ? body.text : body.kind,
    lifetime?.endsMs !== undefined,
  ])

const ready = async (one: TestPerson, other: TestPerson) => {
  const [room] = await keepRooms(one.env, [one.contact(other)])
  if (!room) throw new Error('There is no room')
  return room
}

/** Bob has set a timer, and written before and after it. */
async function timedChat() {
  const scene = await people()
  const { alice, bob } = scene
  await bob.says(alice, 'stays')
  await alice.reads(bob)
  await setTimer(bob.env, await ready(bob, alice), HOUR)
  resetRooms()
  await bob.says(alice, 'goes')
  return scene
}

const followed = ({ env }: TestPerson) =>
  followLifetimes(env, (work) => void work.catch((error) => expect(error).toBe(undefined)))

test('What Alice has read runs from then on, goes in time, and takes the row’s words with it', async () => {
  const { alice, bob } = await timedChat()
  const stop = followed(alice)
  const room = await ready(alice, bob)
  await showRoom(alice.env, room)
  const line = ['set messages to disappear after 1 hour', false]
  expect(shown()).toEqual([['stays', false], line, ['goes', false]])
  await markSeen(alice.env, room)
  await expect.poll(shown).toEqual([['stays', false], line, ['goes', true]])
  expect(roomById(room.id)?.preview?.text).toBe('goes')
  stop()

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.now() + HOUR * 1000 - 5000 })
  onTestFinished(followed(alice))
  await refreshRoom(alice.env, room)
  await vi.dynamicImportSettled()
  expect(shown()).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(6000)
  await expect.poll(shown).toEqual([['stays', false], line])
  expect(roomById(room.id)?.preview?.text).toBe('Messages disappear after 1 hour')
})

test('What another tab has ended leaves this one too, with the reply that was chosen', async () => {
  const { alice, bob } = await timedChat()
  await alice.reads(bob)
  const room = await ready(alice, bob)
  await alice.core.startLifetimes({ chatRoomId: room.id, readSeq: room.lastSeq })
  const { id, senderId } = (await alice.core.page({ chatRoomId: room.id, limit: 1 })).messages[0] ?? {}
  if (!id || !senderId) throw new Error('Nothing is there')
  onTestFinished(openReply(alice.env, room.id))
  await chooseReply(alice.env, room.id, { id, senderId, words: 'goes' })
  const tab = await alice.newTab()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.now() + HOUR * 1000 - 5000 })
  onTestFinished(followed(alice))
  await showRoom(alice.env, room)
  await vi.dynamicImportSettled()
  expect(shown()).toHaveLength(3)
  vi.setSystemTime(Date.now() + 5500)
  expect((await tab.core.endDue()).chatRoomIds).toEqual([room.id])
  await vi.advanceTimersByTimeAsync(6000)
  await expect.poll(shown).toHaveLength(2)
  await expect.poll(() => replyIn(room.id)).toBe(null)
})

test('A browser that was off while another one read it counts from then', async () => {
  const { alice, bob } = await timedChat()
  await alice.reads(bob)
  const room = await ready(alice, bob)
  changeRoom(room.id, ({ marks, lastSeq }) => ({
    marks: withMark(marks, alice.userId, { deliveredSeq: lastSeq, readSeq: lastSeq }),
    readAt: new Date(Date.now() - HOUR * 1000).toISOString(),
  }))
  onTestFinished(followed(alice))
  await showRoom(alice.env, latestRoom(room))
  await expect.poll(shown).toEqual([
    ['stays', false],
    ['set messages to disappear after 1 hour', false],
  ])
})

test('A timer that the server refuses is not kept, and says why', async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  const room = await ready(alice, bob)
  const { api } = alice.env
  alice.env.api = ((endpoint, input) => {
    if (endpoint.path !== messagesApi.send.path || endpoint.method !== 'POST') return api(endpoint, input)
    throw new ApiError(403, 'subscription_required', 'This needs a plan')
  }) as typeof api
  await showRoom(alice.env, room)
  expect(await setTimer(alice.env, room, HOUR)).toBe(REFUSAL_TEXTS.subscription_required)
  expect(shown()).toEqual([['hello', false]])
  expect(messagesStore.getState().open?.timer).toBe(0)
})
