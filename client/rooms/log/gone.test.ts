import { expect, test } from 'vitest'
import { people } from '../../testing/room.ts'
import { catchUp } from './catchUp.ts'
import { readyRoom } from './readyRoom.ts'

test("Bob's account is deleted: a new browser of Alice's still shows who said what, and nothing can be sent", async () => {
  const { alice, bob, wire } = await people()
  await alice.says(bob, 'hello')
  await bob.says(alice, 'good evening')
  await alice.reads(bob)
  const laptop = await alice.newComputer()
  wire.deleted.add(bob.userId)
  wire.accounts.delete(bob.userId)
  const messages = await laptop.reads(bob)
  expect(messages.map(({ senderId, body }) => [senderId, body.kind])).toEqual([
    [alice.userId, 'content'],
    [bob.userId, 'content'],
  ])
  const gone = { ready: false, reason: 'This account was deleted. Nothing can be sent.' }
  for (const browser of [alice, laptop]) expect(await readyRoom(browser.env, browser.room(bob))).toEqual(gone)
})

test("Bob's account is deleted before this browser has read the address book: it reads that first", async () => {
  const { alice, bob, wire } = await people()
  await bob.says(alice, 'good evening')
  await alice.reads(bob)
  const laptop = await alice.newComputer()
  wire.deleted.add(bob.userId)
  wire.accounts.delete(bob.userId)
  await catchUp(laptop.env, laptop.room(bob))
  const { messages } = await laptop.core.page({ chatRoomId: laptop.contact(bob).chatRoomId, limit: 9 })
  expect(messages.map(({ senderId, body }) => [senderId, body.kind])).toEqual([[bob.userId, 'content']])
})
