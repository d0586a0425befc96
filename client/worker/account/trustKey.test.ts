import { expect, test } from 'vitest'
import { acceptChange, knownOf } from '../../rooms/trust/verified.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'

test("The person accepts Bob's new key: his messages come again, in a new room of the two", async () => {
  const { alice, bob, eve, wire, roomId } = await people()
  await alice.says(bob, 'hello')
  // Bob lost all his browsers and started with new keys, which the server now shows.
  const anew = wire.accounts.get(eve.userId)
  if (!anew) throw new Error('no account')
  wire.accounts.set(bob.userId, anew)
  const { identityKey } = alice.contact(bob).contactUser
  await expect(alice.says(bob, 'to whom?')).rejects.toThrow('key has changed')
  await alice.core.trustKey({ userId: bob.userId, identityKey: identityKey ?? '', username: eve.username })
  const [row] = await alice.core.outbox(roomId)
  expect(row?.content).toEqual({ type: 'text', text: 'to whom?' })
  await alice.says(bob, 'to you')
  expect(wire.rooms.get(roomId)?.generation).toBe(2)
  expect((await alice.hears(bob)).slice(0, 2)).toEqual(['hello', 'Encryption restarted'])
})

test('The disk is full while a new key is accepted: the old one holds, and the next try works', async () => {
  const { alice, bob, eve, wire } = await people()
  await alice.says(bob, 'hello')
  const anew = wire.accounts.get(eve.userId)
  if (!anew) throw new Error('no account')
  const { identityKey, userId } = { ...alice.contact(eve).contactUser, userId: bob.userId }
  const put = IDBObjectStore.prototype.put
  let count = 0
  IDBObjectStore.prototype.put = function (...input) {
    count += 1
    if (count === 2) throw new DOMException('full', 'QuotaExceededError')
    return put.apply(this, input)
  }
  const failed = await alice.core
    .trustKey({ userId, identityKey: identityKey ?? '', username: eve.username })
    .catch((error: unknown) => error)
  IDBObjectStore.prototype.put = put
  expect(failed).toMatchObject({ code: 'quota' })
  await alice.says(bob, 'still you')
  wire.accounts.set(bob.userId, anew)
  await alice.core.trustKey({ userId, identityKey: identityKey ?? '', username: eve.username })
  await alice.says(bob, 'now you')
})

test("The server answers Eve's onion address with Bob's account: his key stays pinned", async () => {
  const { alice, bob, eve, wire } = await people()
  await alice.says(bob, 'hello')
  const eves = alice.contact(eve).contactUser.identityKey ?? ''
  await expect(alice.core.pinAddress({ userId: bob.userId, identityKey: eves })).rejects.toMatchObject({ code: 'key_changed' })
  await alice.core.pinAddress({ userId: bob.userId, identityKey: alice.contact(bob).contactUser.identityKey ?? '' })
  const keys = wire.accounts.get(eve.userId)
  if (keys) wire.accounts.set(bob.userId, keys)
  await expect(alice.says(bob, 'a secret')).rejects.toThrow('key has changed')
})

const asListed = (me: TestPerson, other: TestPerson) => {
  const { identityKey, username } = me.contact(other).contactUser
  return { id: other.userId, identityKey, listedUsername: username, isDeleted: false }
}

test('The page sees another key before the answer about an onion address comes: nothing is sent to it until Alice decides', async () => {
  const { alice, bob, eve } = await people()
  await alice.says(bob, 'before the answer')
  const entered = alice.contact(eve).contactUser.identityKey ?? ''
  await alice.core.wantAddress({ identityKey: entered })
  await expect(alice.core.pinAddress({ userId: bob.userId, identityKey: entered })).rejects.toMatchObject({ code: 'key_changed' })
  await expect(alice.says(bob, 'a secret')).rejects.toThrow('You know two keys of this person')
  const [known] = await knownOf(alice.env, [asListed(alice, bob)])
  expect(known).toMatchObject({
    mismatch: 'key_conflict',
    choices: [{ isByAddress: false }, { identityKey: entered, isByAddress: true }],
  })
  // She decides for the address: the account that the server shows has another key.
  await acceptChange(alice.env, asListed(alice, bob), { identityKey: entered, username: bob.username })
  await expect(alice.says(bob, 'a secret')).rejects.toThrow('key has changed')
})

test('The answer about an onion address is lost: its key counts as entered all the same, once its account is listed', async () => {
  const { alice, bob, eve } = await people()
  for (const other of [bob, eve]) await alice.says(other, 'hello')
  const { identityKey } = asListed(alice, bob)
  await alice.core.wantAddress({ identityKey: identityKey ?? '' })
  const listed = [asListed(alice, bob), asListed(alice, eve)]
  expect(await knownOf(alice.env, listed)).toMatchObject([{ isByAddress: true }, { isByAddress: false }])
  const tab = await alice.newTab()
  expect(await knownOf(tab.env, listed)).toMatchObject([{ isByAddress: true }, { isByAddress: false }])
})

test('A key that was accepted in place of an entered one does not count as entered', async () => {
  const { alice, bob, eve } = await people()
  const { identityKey, listedUsername: username } = asListed(alice, bob)
  await alice.core.pinAddress({ userId: bob.userId, identityKey: alice.contact(eve).contactUser.identityKey ?? '' })
  await acceptChange(alice.env, asListed(alice, bob), { identityKey, username })
  expect(await knownOf(alice.env, [asListed(alice, bob)])).toMatchObject([{ mismatch: null, isByAddress: false }])
})

test('Someone who is added by onion address is bound to the key inside it', async () => {
  const { alice, bob, eve } = await people()
  await alice.core.pinAddress({ userId: bob.userId, identityKey: alice.contact(eve).contactUser.identityKey ?? '' })
  await expect(alice.says(bob, 'hello')).rejects.toThrow('key has changed')
  await expect(alice.core.pinAddress({ userId: bob.userId, identityKey: 'AAAA' })).rejects.toMatchObject({ code: 'malformed' })
})
