import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Act, Content } from '../../../contract/chat/content.ts'
import { at, type TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { openLive } from '../account/openAccount.ts'
import type { StoredMessage } from '../crypto.ts'
import { recordWrite, roomRecord } from '../vault/storedRoom.ts'
import { pinsIn } from './takeActs.ts'

let alice: TestPerson
let bob: TestPerson
let chatRoomId: string

beforeEach(async () => {
  ;({ alice, bob, roomId: chatRoomId } = await people())
  await alice.says(bob, 'first')
  await alice.says(bob, 'second')
  await bob.reads(alice)
})
afterEach(() => vi.restoreAllMocks())

async function says(me: TestPerson, other: TestPerson, content: Content | Act): Promise<void> {
  await me.core.keepInOutbox({ id: randomUUID(), chatRoomId, content, replyToId: null, sentAt: new Date().toISOString() })
  await me.sends(me.room(other))
}

const page = (person: TestPerson) => person.core.page({ chatRoomId, limit: 50 })

async function named(person: TestPerson, text: string): Promise<StoredMessage> {
  const { messages } = await page(person)
  const found = messages.find(({ body }) => body.kind === 'content' && 'text' in body.content && body.content.text === text)
  return found ?? expect.fail(`${text} is not there`)
}

const pin = async (me: TestPerson, text: string, on = true): Promise<Act> => {
  const { senderId, id, seq } = await named(me, text)
  return { type: 'pin', target: { senderId, id }, place: seq, on }
}

async function pinned(person: TestPerson): Promise<string[]> {
  const { pins = [], messages } = await page(person)
  const textOf = ({ body }: StoredMessage) => (body.kind === 'content' && 'text' in body.content ? body.content.text : body.kind)
  return pins.map(({ senderId, id }) => {
    const message = messages.find((one) => one.senderId === senderId && one.id === id)
    return message ? textOf(message) : 'absent'
  })
}

test('What Bob pins is pinned for both, in every browser and after a reload, and either takes it off', async () => {
  await says(bob, alice, await pin(bob, 'first'))
  await says(bob, alice, await pin(bob, 'second'))
  await alice.reads(bob)
  const later = await alice.newComputer()
  await later.reads(bob)
  for (const person of [alice, bob, await bob.newTab(), later]) expect(await pinned(person)).toEqual(['second', 'first'])
  const before = (await page(bob)).waitsFor
  await says(alice, bob, await pin(alice, 'second', false))
  await bob.reads(alice)
  for (const person of [alice, bob]) expect(await pinned(person)).toEqual(['first'])
  // The views read anew.
  expect((await page(bob)).waitsFor).not.toBe(before)
})

test('A deleted message is pinned no more, also where its place came empty, and a later pin brings it back nowhere', async () => {
  await says(bob, alice, await pin(bob, 'first'))
  await says(bob, alice, await pin(bob, 'second'))
  await alice.reads(bob)
  const late = await pin(bob, 'first')
  const { senderId, id, seq } = await named(alice, 'first')
  await says(alice, bob, { type: 'delete', target: { senderId, id }, places: [seq] })
  await bob.reads(alice)
  for (const person of [alice, bob]) expect(await pinned(person)).toEqual(['second'])
  // It waited without a line.
  await says(bob, alice, late)
  const later = await alice.newComputer()
  for (const person of [alice, later]) {
    await person.reads(bob)
    expect(await pinned(person)).toEqual(['second'])
  }
})

test('A pin that names another message than stands there, or none, is not shown', async () => {
  const { seq } = await named(bob, 'first')
  const target = { senderId: alice.userId, id: randomUUID() }
  await says(bob, alice, { type: 'pin', target, place: seq, on: true })
  await says(bob, alice, { type: 'pin', target: { ...target, id: randomUUID() }, place: 900, on: true })
  await alice.reads(bob)
  expect(await pinned(alice)).toEqual([])
})

test('What was cleared is pinned no more; what lies further back than this browser has is', async () => {
  await says(bob, alice, await pin(bob, 'first'))
  await alice.reads(bob)
  const live = await at(alice.computer, () => openLive(alice.userId, alice.unlock))
  const record = (await roomRecord(live.vault, chatRoomId)) ?? expect.fail()
  const { pins = [] } = record
  const place = pins[0]?.place ?? 0
  const back = { ...record, from: place + 1 }
  await live.vault.write([recordWrite(chatRoomId, back)])
  expect(await pinsIn(live.vault, chatRoomId)).toHaveLength(1)
  await live.vault.write([recordWrite(chatRoomId, { ...back, cleared: place })])
  expect(await pinsIn(live.vault, chatRoomId)).toEqual([])
  live.vault.close()
})

test('A message that has disappeared is pinned no more', async () => {
  await says(alice, bob, { type: 'timer', seconds: 60 })
  await alice.says(bob, 'goes')
  await bob.reads(alice)
  await says(bob, alice, await pin(bob, 'goes'))
  await says(bob, alice, await pin(bob, 'first'))
  await alice.reads(bob)
  expect(await pinned(alice)).toEqual(['first', 'goes'])
  const nowMs = Date.now() + 61_000
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
  expect(await pinned(alice)).toEqual(['first'])
})

test('An older page that has an older pin changes nothing that is known', async () => {
  await says(bob, alice, await pin(bob, 'first'))
  await says(bob, alice, await pin(bob, 'first', false))
  for (let each = 0; each < 3; each++) await bob.says(alice, `more ${each}`)
  const later = await bob.newComputer()
  await later.reads(alice)
  await later.older(alice)
  expect(await pinned(later)).toEqual([])
})
