import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Content, FileContent } from '../../../contract/chat/content.ts'
import { ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { putRooms, type RoomRow, resetRooms } from '../../rooms/list/roomList.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { shownRoom } from '../../testing/shown.ts'
import { forwardTo, openForwarded, takesForwarded } from './forward.ts'
import { resetMessages, showRoom } from './messages.ts'
import { chooseReply, replyIn } from './replies.ts'
import { messagesStore, type ShownMessage } from './store.ts'
import { deleteUnsent } from './unsentMessage.ts'

let alice: TestPerson
let bob: TestPerson
let room: RoomRow

beforeEach(async () => {
  ;({ alice, bob } = await people())
  connectionStore.setState({ phase: 'open' })
  await alice.says(bob, 'hi')
  await bob.says(alice, 'Keep the Geneva line open')
  await alice.reads(bob)
  room = alice.room(bob)
  putRooms([room])
  await showRoom(alice.env, room)
})
afterEach(() => {
  connectionStore.setState({ phase: 'connecting' })
  resetMessages()
  resetRooms()
})

const shown = (): ShownMessage[] => messagesStore.getState().open?.messages ?? []
const forward = async (messages: ShownMessage[]) =>
  forwardTo(alice.env, room, await openForwarded(alice.env, messages), () => expect.fail('no plan'))

test('What is forwarded says so and not from whom, comes in its order, and leaves the draft and the reply of that chat', async () => {
  await alice.env.crypto.keepDraftText({ chatRoomId: room.id, text: 'half a sentence' })
  const quote = { senderId: bob.userId, id: shown()[1]?.id ?? '', words: 'Keep the Geneva line open' }
  await chooseReply(alice.env, room.id, quote)
  expect(await forward(shown())).toBe(true)
  await expect.poll(async () => (await bob.reads(alice)).length).toBe(4)
  const contents = (await bob.reads(alice)).slice(2).map(({ body }) => body.kind === 'content' && body.content)
  expect(contents).toEqual([
    { type: 'text', text: 'hi', isForwarded: true },
    { type: 'text', text: 'Keep the Geneva line open', isForwarded: true },
  ] satisfies Content[])
  expect(await alice.env.crypto.readDraft(room.id)).toBe('half a sentence')
  expect([await alice.env.crypto.readReply(room.id), replyIn(room.id)]).toEqual([quote, null])
})

test('What is forwarded and waits is deleted, not taken back: it would come out of the field as one’s own words', async () => {
  connectionStore.setState({ phase: 'connecting' })
  alice.env.api = () => Promise.reject(new ApiError(0, 'offline', 'You are offline'))
  const [, asked] = shown()
  await forward([asked ?? expect.fail()])
  await expect.poll(() => shown().at(-1)).toMatchObject({ seq: null, canBeTakenBack: false, body: { isForwarded: true } })
  const [waiting] = await alice.env.crypto.outbox(room.id)
  expect(await alice.env.crypto.takeBack({ chatRoomId: room.id, id: waiting?.id ?? '' })).toBe(undefined)
  await deleteUnsent(alice.env, room, waiting?.id ?? '')
  expect(await alice.env.crypto.outbox(room.id)).toEqual([])
})

test('More than 100 MB of files are refused by name before one is opened', async () => {
  const [said] = shown()
  const file = { sizeBytes: 9 * 1024 * 1024 } as FileContent
  const files = Array.from(
    { length: 12 },
    (): ShownMessage => ({ ...(said ?? expect.fail()), body: { kind: 'file', file, text: '', chatRoomId: room.id } }),
  )
  alice.env.crypto.openFile = () => expect.fail('opened')
  await expect(openForwarded(alice.env, files)).rejects.toMatchObject({ code: 'too_large' })
})

test('Nothing is forwarded to a request, a blocked person, a deleted account, a locked chat, or one that was restarted', () => {
  expect(takesForwarded(shownRoom)).toBe(true)
  const { direct } = shownRoom
  const others: RoomRow[] = [
    { ...shownRoom, direct: { ...direct, state: 'pending' } },
    { ...shownRoom, direct: { ...direct, isBlocked: true } },
    { ...shownRoom, direct: null },
    { ...shownRoom, isClosed: true },
    { ...shownRoom, lock: 'shut' },
    { ...shownRoom, asksRestart: true },
  ]
  expect(others.map(takesForwarded)).toEqual(others.map(() => false))
})
