import { expect, test } from 'vitest'
import { contactOfRoom, contactsStore } from '../rooms/rows.ts'
import { newPerson } from '../testing/people.ts'
import { createWire } from '../testing/wire.ts'
import { acceptNewKey } from './contacts.ts'

test("Alice accepts Bob's new key: the conversation goes on under new keys, and the key is not verified", async () => {
  const wire = createWire()
  const [alice, bob, reborn] = [await newPerson(wire), await newPerson(wire), await newPerson(wire)]
  await alice.says(bob, 'hello')
  const known = alice.contact(bob).contactUser.identityKey ?? ''
  await alice.core.setVerified({ userId: bob.userId, identityKey: known, isVerified: true })
  const newKeys = wire.accounts.get(reborn.userId)
  if (!newKeys) throw new Error('The account is not on the wire')
  wire.accounts.set(bob.userId, newKeys)
  await expect(alice.says(bob, 'are you there?')).rejects.toThrow('key has changed')

  const row = { ...alice.contact(bob), preview: null, isTyping: false, keyChanged: true, isVerified: true }
  contactsStore.setState({ rows: [row] })
  await acceptNewKey(alice.env, row)
  expect(contactOfRoom(row.chatRoomId)).toMatchObject({ keyChanged: false, isVerified: false })

  await alice.says(bob, 'welcome back')
  expect(wire.rooms.get(row.chatRoomId)?.generation).toBe(2)
  expect(await alice.hears(bob)).toEqual(['hello', 'Encryption restarted', 'welcome back'])
})
