import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Quote } from '../../../contract/chat/content.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { type Api, ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { readDraft, resetDrafts } from '../../rooms/list/drafts.ts'
import { putRooms, type RoomRow, resetRooms } from '../../rooms/list/roomList.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { toastStore } from '../../ui/toast.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { resetMessages, showRoom } from './messages.ts'
import { quoteOf } from './quotes.ts'
import { chooseReply, openReply, replyIn, replyStore } from './replies.ts'
import { sendText } from './send.ts'
import { showQuoted } from './showQuoted.ts'
import { messagesStore, type ShownMessage } from './store.ts'
import { cancelUnsent } from './unsentMessage.ts'

let alice: TestPerson
let bob: TestPerson
let wire: Wire
let room: RoomRow
let isOnline: boolean
let closeField = (): void => undefined

beforeEach(async () => {
  ;({ alice, bob, wire } = await people())
  await alice.says(bob, 'hi')
  await bob.says(alice, 'Shall we meet at nine?')
  await alice.reads(bob)
  isOnline = true
  connectionStore.setState({ phase: 'open' })
  const { api } = alice.env
  alice.env.api = (async (endpoint: never, input: never) => {
    if (!isOnline) throw new ApiError(0, 'offline', 'You are offline')
    return await api(endpoint, input)
  }) as Api
  await opens()
  opensField()
  toastStore.setState({ queue: [] })
})

afterEach(() => {
  closeField()
  connectionStore.setState({ phase: 'connecting' })
  resetMessages()
  resetRooms()
  resetDrafts()
})

async function opens() {
  resetRooms()
  room = alice.room(bob)
  putRooms([room])
  await showRoom(alice.env, room)
}

function opensField() {
  closeField()
  closeField = openReply(alice.env, room.id)
}

/** Resolves to what this browser keeps once the field that opens next has it. */
function readsNext(): Promise<Quote | null> {
  const { readReply } = alice.env.crypto
  return new Promise((resolve) => {
    alice.env.crypto.readReply = async (id) => {
      const quote = await readReply(id)
      // After those who wait for the answer.
      setTimeout(() => resolve(quote))
      return quote
    }
  })
}

const shown = (text: string): ShownMessage =>
  messagesStore.getState().open?.messages.find(({ body }) => 'text' in body && body.text === text) ?? expect.fail(text)
const asked = (): Quote => quoteOf(shown('Shall we meet at nine?')) ?? expect.fail()
const answers = (text: string, quote = asked()) => sendText(alice.env, room, text, undefined, quote)

test('An answer names the message and has its words, for both and on a new browser; the server is told nothing of it', async () => {
  const posted: object[] = []
  const { api } = alice.env
  alice.env.api = ((endpoint: never, input: object) => {
    if (Object.is(endpoint, messagesApi.send)) posted.push(input)
    return api(endpoint, input as never)
  }) as Api
  await answers('Yes')
  const [asking] = (await alice.reads(bob)).slice(1)
  const quote = { senderId: bob.userId, id: asking?.id, words: 'Shall we meet at nine?' }
  const answer = { body: { kind: 'content', content: { type: 'text', text: 'Yes', quote } } }
  for (const person of [alice, bob, await alice.newComputer()])
    expect((await person.reads(person === bob ? alice : bob)).at(-1)).toMatchObject(answer)
  expect(posted.map((draft) => Object.keys(draft).sort())).toEqual([['chatRoomId', 'content', 'id', 'isBrief', 'messageType']])
  expect(JSON.stringify(posted)).not.toContain(asking?.id)
})

test('What is chosen stays with the draft of the chat until it is sent, also for a field that opens anew', async () => {
  await chooseReply(alice.env, room.id, asked())
  opensField()
  await expect.poll(() => replyIn(room.id)).toEqual(asked())
  await answers('Yes')
  const read = readsNext()
  opensField()
  expect([await read, replyIn(room.id)]).toEqual([null, null])
})

test('A choice that is taken away while the page still reads what it kept does not come back', async () => {
  await chooseReply(alice.env, room.id, asked())
  const read = readsNext()
  opensField()
  await chooseReply(alice.env, room.id, null)
  await read
  expect(replyIn(room.id)).toBe(null)
})

test('A field that closes takes the words of its reply out of the page, also those that are still read', async () => {
  await chooseReply(alice.env, room.id, asked())
  const read = readsNext()
  closeField()
  const close = openReply(alice.env, room.id)
  close()
  await read
  expect(replyStore.getState().open).toBe(null)
})

test('Where the disk is full the choice stays in the page, and goes with the answer', async () => {
  const { keepReply } = alice.env.crypto
  alice.env.crypto.keepReply = () => Promise.reject(new CryptoFailure('quota', 'full'))
  await chooseReply(alice.env, room.id, asked())
  alice.env.crypto.keepReply = keepReply
  expect(replyIn(room.id)).toEqual(asked())
})

test('A text that answers nothing leaves the choice of another tab', async () => {
  await chooseReply(alice.env, room.id, asked())
  await sendText(alice.env, room, 'by the way')
  expect(await alice.core.readReply(room.id)).toEqual(asked())
})

test('An answer that is cancelled gives back its words and what it answers', async () => {
  isOnline = false
  connectionStore.setState({ phase: 'connecting' })
  await answers('Yes')
  const [row] = await alice.core.outbox(room.id)
  await cancelUnsent(alice.env, room, row?.id ?? '')
  expect([await readDraft(alice.env, room.id), replyIn(room.id)?.words]).toEqual(['Yes', 'Shall we meet at nine?'])
})

test('What was said is found by sender and id: nobody else’s message of the same id, and none that is not here', async () => {
  const quote = asked()
  const of = (name: Partial<Quote>) => alice.core.quoted({ chatRoomId: room.id, ...quote, ...name })
  expect(await of({})).toMatchObject({ said: { seq: shown('Shall we meet at nine?').seq, words: 'Shall we meet at nine?' } })
  expect(await of({ senderId: alice.userId })).toMatchObject({ said: undefined })
  expect(await of({ id: crypto.randomUUID() })).toMatchObject({ said: undefined })
  expect(await alice.core.quoted({ ...quote, chatRoomId: 'dm_other' })).toEqual({ from: 0, said: undefined })
})

test('A quote leads to its message, and fetches it where this browser is new; one of a message that never was leads nowhere', async () => {
  const quote = asked()
  for (let count = 0; count < 3; count++) await bob.says(alice, `${count}`)
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  resetRooms()
  const own = laptop.room(bob)
  putRooms([own])
  await showRoom(laptop.env, own)
  await showQuoted(laptop.env, own, quote)
  const { anchor } = messagesStore.getState().open ?? {}
  expect(anchor).toMatchObject({ id: quote.id, place: 'middle' })
  expect(toastStore.getState().queue).toEqual([])
  await showQuoted(laptop.env, own, { ...quote, senderId: alice.userId })
  expect(toastStore.getState().queue).toMatchObject([{ title: 'Not found' }])
  expect(messagesStore.getState().open?.anchor).toBe(anchor)
  expect(wire.rooms.size).toBe(1)
})

test('A quote is one line of at most 200 characters, and breaks no letter', async () => {
  await bob.says(alice, `${'a\n'.repeat(98)}${'😀'.repeat(100)}`)
  await alice.reads(bob)
  await opens()
  const { words } = quoteOf(messagesStore.getState().open?.messages.at(-1) ?? expect.fail()) ?? expect.fail()
  expect([
    words.length <= SAID.quoteMax,
    words.includes('\n'),
    encodeURI(words).endsWith('%E2%80%A6'),
    words.endsWith('😀…'),
  ]).toEqual([true, false, true, true])
})

test('Nobody answers what is not sent yet, or what no signature proves', async () => {
  isOnline = false
  connectionStore.setState({ phase: 'connecting' })
  await sendText(alice.env, room, 'on its way')
  expect(quoteOf(shown('on its way'))).toBe(undefined)
  expect(quoteOf({ ...shown('hi'), body: { kind: 'plain', text: 'hi' } })).toBe(undefined)
})
