import { expect, test } from 'vitest'
import { directOf } from '../../testing/direct.ts'
import { newPerson } from '../../testing/people.ts'
import { createWire } from '../../testing/wire.ts'
import { syncBook } from './book.ts'
import { personById, putPeople } from './people.ts'
import { acceptChange } from './verified.ts'

test("Alice accepts Bob's new key: the chat goes on under new keys, and the key is not verified", async () => {
  const wire = createWire()
  const [alice, bob, reborn] = [await newPerson(wire), await newPerson(wire), await newPerson(wire)]
  await alice.says(bob, 'hello')
  const known = alice.contact(bob).contactUser.identityKey ?? ''
  await alice.core.setVerified({ userId: bob.userId, identityKey: known, isVerified: true })
  const newKeys = wire.accounts.get(reborn.userId)
  if (!newKeys) throw new Error('The account is not on the wire')
  wire.accounts.set(bob.userId, newKeys)
  await expect(alice.says(bob, 'are you there?')).rejects.toThrow('key has changed')

  const { room, person } = directOf(alice.contact(bob))
  putPeople([{ ...person, mismatch: 'key_changed', isVerified: true }])
  await syncBook(alice.env)
  const version = () => wire.accounts.get(alice.userId)?.book.version ?? 0
  const before = version()
  await acceptChange(alice.env, person)
  expect(personById(bob.userId)).toMatchObject({ mismatch: null, isVerified: false })
  // Her other browsers need not wait for her next sync.
  expect(version()).toBe(before + 1)

  await alice.says(bob, 'welcome back')
  expect(wire.rooms.get(room.id)?.generation).toBe(2)
  expect(await alice.hears(bob)).toEqual(['hello', 'Encryption restarted', 'are you there?', 'welcome back'])
})

test('While Alice compares, the server names yet another key: what she compared is taken, the other one stays blocked', async () => {
  const wire = createWire()
  const [alice, bob, reborn, eve] = [await newPerson(wire), await newPerson(wire), await newPerson(wire), await newPerson(wire)]
  await alice.says(bob, 'hello')
  const keysOf = (userId: string) => {
    const keys = wire.accounts.get(userId)
    if (!keys) throw new Error('The account is not on the wire')
    return keys
  }
  wire.accounts.set(bob.userId, keysOf(reborn.userId))
  const { person: compared } = directOf(alice.contact(bob))
  wire.accounts.set(bob.userId, keysOf(eve.userId))
  const { person: shown } = directOf(alice.contact(bob))
  putPeople([{ ...shown, mismatch: 'key_changed' }])
  await acceptChange(alice.env, compared)
  expect(personById(bob.userId)).toMatchObject({ mismatch: 'key_changed', isVerified: false })
  await expect(alice.says(bob, 'is it you?')).rejects.toThrow('key has changed')
})
