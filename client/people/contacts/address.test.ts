import { afterEach, expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { onionAddress } from '../../../contract/people/onion.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { reloadRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms } from '../../rooms/list/roomList.ts'
import { personById, resetPeople } from '../../rooms/trust/people.ts'
import { people } from '../../testing/room.ts'
import { newIdentity } from '../../worker/keys/newidentity.ts'
import { addContact } from './contacts.ts'

afterEach(() => {
  resetRooms()
  resetPeople()
})

test('The first answer about an address was lost: another try says whether the contact is listed with the key of the address', async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  const api = ((endpoint, input) =>
    endpoint.path === contactsApi.add.path && endpoint.method === contactsApi.add.method
      ? Promise.reject(new ApiError(409, 'already_contact', 'This user is already in your contacts'))
      : alice.env.api(endpoint, input)) as Env['api']
  const env = { ...alice.env, api }
  const address = onionAddress(fromBase64(alice.contact(bob).contactUser.identityKey ?? ''))
  await expect(addContact(env, address)).rejects.toMatchObject({ code: 'already_contact' })
  expect(personById(bob.userId)).toMatchObject({ isByAddress: true, mismatch: null })
  await expect(addContact(env, newIdentity().onionAddress)).rejects.toMatchObject({ code: 'key_changed' })
})

test('The server answers an address with a friend who has another key: the chat with the friend asks at once which key is right', async () => {
  const { alice, bob, eve } = await people()
  await alice.says(bob, 'hello')
  await reloadRooms(alice.env)
  const asBob = alice.contact(bob)
  const api = ((endpoint, input) =>
    endpoint.path === contactsApi.add.path && endpoint.method === contactsApi.add.method
      ? Promise.resolve(asBob)
      : alice.env.api(endpoint, input)) as Env['api']
  const { identityKey } = alice.contact(eve).contactUser
  const address = onionAddress(fromBase64(identityKey ?? ''))
  await expect(addContact({ ...alice.env, api }, address)).rejects.toMatchObject({ code: 'key_changed' })
  expect(personById(bob.userId)).toMatchObject({
    mismatch: 'key_conflict',
    choices: [{ identityKey: asBob.contactUser.identityKey }, { identityKey, isByAddress: true }],
  })
})
