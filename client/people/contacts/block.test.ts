import { afterEach, beforeEach, expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { ApiError } from '../../net/api.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { isDirect } from '../../rooms/list/room.ts'
import { resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { resetPeople } from '../../rooms/trust/people.ts'
import { people } from '../../testing/room.ts'
import { blockContact, blockedPeople, unblockPerson } from './block.ts'

const reset = () => {
  resetRooms()
  resetPeople()
}
beforeEach(reset)
afterEach(reset)

test('Alice finds again whom she blocked, a contact and one who only asked, and lifts both blocks from the list of the settings', async () => {
  const { alice, bob, eve } = await people({ areStrangers: true })
  const { env, userId } = alice
  for (const other of [bob, eve]) await other.env.api(contactsApi.add, { username: alice.username })
  await env.api(contactsApi.accept, { contactId: alice.contact(bob).id })
  await refreshRooms(env)
  for (const row of [...roomsStore.getState().rooms.values()].filter(isDirect)) await blockContact(env, row)
  const [ofBob, ofEve] = [alice.room(bob).id, alice.room(eve).id]
  expect([roomById(ofBob)?.direct?.isBlocked, roomById(ofEve)]).toEqual([true, undefined])

  const blocked = await blockedPeople(env)
  const listed = [bob, eve].map((other) => ({ userId: other.userId, username: other.username, isListed: other === bob }))
  expect(blocked).toEqual(expect.arrayContaining(listed.map((each) => expect.objectContaining(each))))
  expect(blocked).toHaveLength(2)
  for (const person of blocked) await unblockPerson(env, userId, person)
  expect(await blockedPeople(env)).toEqual([])
  // The row of the contact says so at once; whoever asked stays away.
  expect([roomById(ofBob)?.direct?.isBlocked, roomById(ofEve)]).toEqual([false, undefined])
})

test('Where the server does not answer a block stays, and the list with it', async () => {
  const { alice, bob } = await people()
  await refreshRooms(alice.env)
  await blockContact(alice.env, alice.room(bob))
  const [person] = await blockedPeople(alice.env)
  const api = async () => {
    throw new ApiError(0, 'offline', 'You are offline')
  }
  await expect(unblockPerson({ ...alice.env, api } as typeof alice.env, alice.userId, person ?? expect.fail())).rejects.toThrow(
    'You are offline',
  )
  expect([roomById(alice.room(bob).id)?.direct?.isBlocked, await blockedPeople(alice.env)]).toMatchObject([
    true,
    [{ userId: bob.userId }],
  ])
})
