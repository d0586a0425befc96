import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { isDirect } from '../../rooms/list/room.ts'
import { type DirectRow, resetRooms } from '../../rooms/list/roomList.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { sendAct } from './acts.ts'
import { resetMessages, showRoom } from './messages.ts'
import { syncRoom } from './receive.ts'
import { messagesStore, type ShownMessage } from './store.ts'

let alice: TestPerson
let bob: TestPerson
let room: DirectRow

beforeEach(async () => {
  connectionStore.setState({ phase: 'open' })
  ;({ alice, bob } = await people())
  await alice.says(bob, 'first words')
  await bob.says(alice, 'an answer')
  await alice.reads(bob)
  await listed()
  await showRoom(alice.env, room)
})

afterEach(() => {
  connectionStore.setState(connectionStore.getInitialState())
  resetMessages()
  resetRooms()
  vi.unstubAllGlobals()
})

/** Alice's list as the server has it now. */
async function listed() {
  const [row] = await keepRooms(alice.env, [alice.contact(bob)])
  if (!row || !isDirect(row)) throw new Error('The contact has no room')
  room = row
}

const view = () => messagesStore.getState().open?.messages ?? []
const words = ({ body, reactions = [], edited, pending }: ShownMessage) => ({
  text: 'text' in body ? body.text : body.kind,
  reactions: reactions.map(({ emoji, userIds }) => `${emoji} ${userIds.length}`),
  isEdited: edited !== undefined,
  pending: pending?.status,
})

function targetAt(index: number) {
  const { senderId, id } = view()[index] ?? {}
  if (!senderId || !id) throw new Error('There is no such message')
  return { senderId, id }
}

const PLAIN = { reactions: [], isEdited: false, pending: undefined }

test('What Alice does shows at once, is no message of its own, and is the same once the server has it', async () => {
  const { api } = alice.env
  const sends: (() => void)[] = []
  alice.env.api = async (endpoint, input) => {
    if (Object.is(endpoint, messagesApi.send)) await new Promise<void>((go) => sends.push(go))
    return api(endpoint, input)
  }
  const edited = sendAct(alice.env, room, { type: 'edit', target: targetAt(0), n: 1, text: 'better words' })
  await expect
    .poll(() => view().map(words))
    .toEqual([
      { ...PLAIN, text: 'better words', isEdited: true, pending: 'sending' },
      { ...PLAIN, text: 'an answer' },
    ])
  await expect.poll(() => sends.length).toBe(1)
  sends[0]?.()
  await edited
  alice.env.api = api
  await sendAct(alice.env, room, { type: 'reaction', target: targetAt(1), emojis: ['👍'] })
  const both = [
    { ...PLAIN, text: 'better words', isEdited: true },
    { ...PLAIN, text: 'an answer', reactions: ['👍 1'] },
  ]
  expect(view().map(words)).toEqual(both)
  await showRoom(alice.env, room)
  expect(view().map(words)).toEqual(both)
})

test('What Bob does to a message on the screen is seen there', async () => {
  await bob.reads(alice)
  const target = targetAt(0)
  await bob.core.keepInOutbox({
    ...{ id: crypto.randomUUID(), chatRoomId: room.id, replyToId: null, sentAt: new Date().toISOString() },
    content: { type: 'reaction', target, emojis: ['🎉', '👍'] },
  })
  await bob.sends(bob.room(alice))
  await listed()
  await syncRoom(alice.env, room)
  expect(view().map(words)).toEqual([
    { ...PLAIN, text: 'first words', reactions: ['🎉 1', '👍 1'] },
    { ...PLAIN, text: 'an answer' },
  ])
})

test('What the server refuses leaves the message as it was, and says so', async () => {
  const { api } = alice.env
  alice.env.api = async (endpoint, input) => {
    if (Object.is(endpoint, messagesApi.send)) throw new ApiError(403, 'subscription_required', 'No plan')
    return api(endpoint, input)
  }
  await sendAct(alice.env, room, { type: 'edit', target: targetAt(0), n: 1, text: 'better words' })
  expect(view().map(words)).toEqual([
    { ...PLAIN, text: 'first words', pending: 'failed' },
    { ...PLAIN, text: 'an answer' },
  ])
})
