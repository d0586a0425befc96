import { afterEach, beforeEach, expect, test } from 'vitest'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms } from '../../rooms/list/roomList.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { nameOf, personById, resetPeople } from '../../rooms/trust/people.ts'
import { reloadVerified } from '../../rooms/trust/verified.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { nameContact } from './alias.ts'

const reset = () => {
  resetRooms()
  resetPeople()
}
beforeEach(reset)
afterEach(reset)

/** The name that this browser shows of somebody after it was loaded. */
async function shownIn({ env }: TestPerson, { userId }: TestPerson) {
  reset()
  await syncBook(env)
  await refreshRooms(env)
  const person = personById(userId)
  return person && nameOf(person)
}

test('The name that Alice gives Bob shows in all of her browsers, and no server sees it; an empty one gives his own back', async () => {
  const { alice, bob, wire } = await people()
  await alice.says(bob, 'hello')
  const phone = await alice.newComputer()
  await refreshRooms(alice.env)
  await nameContact(alice.env, bob.userId, '  Robert\u202e from work ')
  expect(nameOf(personById(bob.userId) ?? expect.fail())).toBe('Robert from work')
  expect(await shownIn(phone, bob)).toBe('Robert from work')
  expect(JSON.stringify([...wire.accounts])).not.toContain('Robert')
  // Each browser names him once more: the later decision holds on both.
  await nameContact(phone.env, bob.userId, 'Bobby')
  expect(await shownIn(alice, bob)).toBe('Bobby')
  await nameContact(alice.env, bob.userId, '')
  expect(await shownIn(phone, bob)).toBe('The other side')
  await reloadVerified(phone.env)
})

test('The name that Alice gave Bob outlives his account, in a new browser of hers too; nobody’s names are mixed up', async () => {
  const { alice, bob, eve, wire } = await people()
  for (const other of [bob, eve]) await alice.says(other, 'hello')
  await refreshRooms(alice.env)
  await nameContact(alice.env, bob.userId, 'Bobby from Geneva')
  for (const { userId } of [bob, eve]) wire.deleted.add(userId)
  expect(await shownIn(alice, bob)).toBe('Bobby from Geneva')
  expect(await shownIn(alice, eve)).toBe('Deleted account')
  expect(personById(bob.userId)).toMatchObject({ isDeleted: true, isVerified: false, mismatch: null, username: bob.username })
  const phone = await alice.newComputer()
  expect(await shownIn(phone, bob)).toBe('Bobby from Geneva')
})
