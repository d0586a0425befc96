import { expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Person } from '../../testing/person.ts'
import type { TestSocket } from '../../testing/socket.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const DAY = 24 * 60 * 60

/** Moves the clock by days and signs these people in again, whose sessions may have expired. */
async function daysPass(days: number, ...people: Person[]): Promise<void> {
  world.passes(days * DAY)
  await world.jobs.runDue()
  for (const person of people) {
    person.cookie = undefined
    await person.returns()
  }
}

/** The frames that the socket has received, except about the account's own sign-ins. */
const besidesOwn = ({ frames }: TestSocket) => frames.map(({ type }) => type).filter((type) => type !== 'account')

async function asked() {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  const { chatRoomId } = await alice.adds(bob)
  await alice.says(chatRoomId, 'do you remember me?')
  return { alice, bob, chatRoomId }
}

test('a request that nobody answers for 90 days leaves the list of the person who was asked', async () => {
  const { alice, bob, chatRoomId } = await asked()
  await daysPass(LIMITS.requestDays - 1, alice, bob)
  expect(await bob.contacts()).toMatchObject([{ state: 'pending', unreadCount: 1 }])
  const line = await bob.opensSocket()
  const before = await alice.contacts()
  const hers = await alice.opensSocket()
  await daysPass(1, alice, bob)
  await line.hears('contacts')
  expect(await bob.contacts()).toEqual([])
  // The asker sees the same list as before and has received no frame.
  expect(await alice.contacts()).toEqual(before)
  expect(besidesOwn(hers)).toEqual(['hello'])
  expect(await alice.does(messagesApi.list, { chatRoomId })).toMatchObject([{ content: 'do you remember me?' }])
  line.hangsUp()
  hers.hangsUp()
})

test('asking again after 90 days puts the request again, and the answer does not tell that the first one has lapsed', async () => {
  const { alice, bob } = await asked()
  const early = await alice.tries(contactsApi.add, { username: bob.username })
  expect(early).toBeRefused(409, 'already_contact')
  await daysPass(LIMITS.requestDays, alice, bob)
  expect(await bob.contacts()).toEqual([])
  const line = await bob.opensSocket()
  const hers = await alice.opensSocket()
  expect(await alice.tries(contactsApi.add, { username: bob.username })).toEqual(early)
  await line.hears('contacts')
  const [request] = await bob.contacts()
  expect(request).toMatchObject({ state: 'pending', contactUserId: alice.id, unreadCount: 1 })
  expect(besidesOwn(hers)).toEqual(['hello'])
  await daysPass(LIMITS.requestDays - 1, alice, bob)
  expect(await bob.contacts()).toHaveLength(1)
  expect(await bob.does(contactsApi.accept, { contactId: request?.id ?? '' })).toMatchObject({ state: 'accepted' })
  await daysPass(LIMITS.requestDays, alice, bob)
  expect(await bob.contacts()).toMatchObject([{ state: 'accepted' }])
  line.hangsUp()
  hers.hangsUp()
})

test('writing once more after the request has lapsed puts it again, once, with all that was written', async () => {
  const { alice, bob, chatRoomId } = await asked()
  await daysPass(LIMITS.requestDays, alice, bob)
  const [line, hers] = await Promise.all([bob.opensSocket(), alice.opensSocket()])
  await Promise.all(Array.from({ length: 5 }, (_, at) => alice.says(chatRoomId, `still there? ${at}`)))
  await line.hears('message')
  expect(await bob.contacts()).toMatchObject([{ state: 'pending', contactUserId: alice.id, unreadCount: 6, lastSeq: 6 }])
  expect(line.frames.filter((frame) => frame.type === 'contacts')).toHaveLength(1)
  await hers.hears('message')
  expect(hers.frames.filter((frame) => frame.type === 'contacts')).toEqual([])
  const [request] = await bob.contacts()
  await bob.does(contactsApi.decline, { contactId: request?.id ?? '' })
  await alice.says(chatRoomId, 'hello?')
  expect(await bob.contacts()).toEqual([])
  line.hangsUp()
  hers.hangsUp()
})

test('who was asked finds everything there when they add back after the request has lapsed', async () => {
  const { alice, bob } = await asked()
  await daysPass(LIMITS.requestDays, alice, bob)
  const lastMessage = { content: 'do you remember me?' }
  expect(await bob.adds(alice)).toMatchObject({ state: 'accepted', unreadCount: 1, lastMessage })
})

test('Eve, who was declined, cannot ask again by waiting; a blocked person stays blocked', async () => {
  const [bob, eve, mallory] = await Promise.all(['bob', 'eve', 'mallory'].map((name) => world.person(name)))
  if (!bob || !eve || !mallory) throw new Error('Nobody is there')
  await eve.adds(bob)
  await mallory.adds(bob)
  const rows = await bob.contacts()
  const of = (person: Person) => rows.find((row) => row.contactUserId === person.id)?.id ?? ''
  await bob.does(contactsApi.decline, { contactId: of(eve) })
  await world.sql('update contacts set is_blocked = true where id = $1', [of(mallory)])
  await daysPass(LIMITS.requestDays + 1, bob, eve, mallory)
  expect(await eve.tries(contactsApi.add, { username: bob.username })).toBeRefused(409, 'already_contact')
  const kept = await world.sql('select state, is_blocked from contacts where user_id = $1 order by state', [bob.id])
  expect(kept).toEqual([
    { state: 'declined', is_blocked: false },
    { state: 'pending', is_blocked: true },
  ])
})

test('answering and lapsing at the same moment: one of them happens', async () => {
  const { alice, bob } = await asked()
  const [request] = await bob.contacts()
  await daysPass(LIMITS.requestDays - 1, alice, bob)
  world.passes(DAY)
  const [answer] = await Promise.all([bob.tries(contactsApi.accept, { contactId: request?.id ?? '' }), world.jobs.runDue()])
  const rows = await bob.contacts()
  expect([answer.status, rows.length]).toEqual(answer.status === 200 ? [200, 1] : [404, 0])
})
