import { beforeEach, expect, test } from 'vitest'
import type { ListedPerson, RoomPage } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { checkVanished, knowVanished, vanishedStore } from '../../people/contacts/vanished.ts'
import { personIn } from '../../testing/direct.ts'
import { openFixture } from '../../testing/fixtures/fixture.ts'
import type { TestPerson } from '../../testing/people.ts'
import { changesKeys, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { checkSuccession, readManifest } from '../../worker/keys/identity.ts'
import { newIdentity, signManifest } from '../../worker/keys/newidentity.ts'
import { reloadRooms } from '../list/loadRooms.ts'
import { resetRooms } from '../list/roomList.ts'
import { syncBook } from './book.ts'
import { personById, resetPeople } from './people.ts'
import { acceptChange } from './verified.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let eve: TestPerson

beforeEach(async () => {
  resetRooms()
  resetPeople()
  ;({ wire, alice, bob, eve } = await people())
})

/** Alice's browser with a server that changes each row of her contact list, or hides the row if `change` returns undefined. */
function listing(change: (person: ListedPerson) => Partial<ListedPerson> | undefined): Env {
  wire.lie = (caller, path, answer) =>
    caller === alice.userId && path === roomsApi.list.path
      ? {
          ...(answer as RoomPage),
          rooms: (answer as RoomPage).rooms.flatMap((row) => {
            const changed = change(personIn(row))
            return changed ? [{ ...row, people: [{ ...personIn(row), ...changed }] }] : []
          }),
        }
      : answer
  return alice.env
}

async function verifies(other: TestPerson) {
  const { identityKey } = await alice.core.safetyNumber({ userId: other.userId })
  await alice.core.setVerified({ userId: other.userId, identityKey, isVerified: true })
}

/** Alice writes to the account of a row that the server shows. */
async function writesTo(env: Env, other: TestPerson, text: string) {
  const room = (await reloadRooms(env)).find(({ id }) => id === directRoomId(alice.userId, other.userId))
  if (!room) throw new Error('Not in the list')
  await alice.keeps(other, text)
  await alice.sends(room)
}

test('The server swaps the usernames of two friends: nothing that is meant for one goes to the other, and both keep their name', async () => {
  await alice.says(bob, 'hello Bob')
  await alice.says(eve, 'hello Carol')
  await verifies(bob)
  await verifies(eve)
  const env = listing((person) => ({ username: person.id === bob.userId ? eve.username : bob.username }))
  await reloadRooms(env)
  for (const other of [bob, eve])
    expect(personById(other.userId)).toMatchObject({ username: other.username, mismatch: 'name_changed', isVerified: false })
  await expect(writesTo(env, eve, 'for Bob only')).rejects.toThrow('This person’s username has changed')
})

test("Eve's account takes the place of Bob's in the list, under his name: what Alice writes to @bob does not reach her", async () => {
  await alice.says(bob, 'hello Bob')
  const env = listing((person) => (person.id === bob.userId ? undefined : { username: bob.username, displayName: 'Bob' }))
  await reloadRooms(env)
  expect(personById(eve.userId)?.mismatch).toBe('name_taken')
  await expect(writesTo(env, eve, 'a secret')).rejects.toThrow('belongs to somebody else')
  const log = wire.rooms.get(directRoomId(alice.userId, eve.userId))?.log ?? []
  expect(log).toEqual([])
})

test("The server shows a stranger under a friend's name at first contact: the stranger's own signature gives it away", async () => {
  const env = listing(() => ({ username: 'mallory' }))
  await expect(writesTo(env, bob, 'a secret')).rejects.toThrow('This person’s username has changed')
  const pinned = await alice.core.compareAccounts([{ userId: bob.userId, identityKey: null, username: bob.username }])
  expect(pinned).toMatchObject([{ username: null, mismatch: null }])
})

test('The person decides for a name: it is theirs, not verified, and whoever had it before is asked about', async () => {
  await alice.says(bob, 'hello')
  await verifies(bob)
  const eves = alice.contact(eve).contactUser
  await acceptChange(alice.env, { id: eve.userId, identityKey: eves.identityKey, listedUsername: bob.username, isDeleted: false })
  const [asBob, asEve] = await alice.core.compareAccounts([
    { userId: bob.userId, identityKey: alice.contact(bob).contactUser.identityKey, username: bob.username },
    { userId: eve.userId, identityKey: eves.identityKey, username: bob.username },
  ])
  expect(asBob).toMatchObject({ isVerified: false, username: null, mismatch: 'name_changed' })
  expect(asEve).toMatchObject({ isVerified: false, username: bob.username, mismatch: null })
})

test("Bob's signed name is lost or changed in a newer device list: it is refused by name, and the old one holds", async () => {
  await alice.says(bob, 'hello')
  const identity = newIdentity()
  const known = wire.accounts.get(bob.userId)?.keys.manifest
  const before = readManifest(known ?? { content: '', signature: '' }, fromBase64(bob.contact(bob).contactUser.identityKey ?? ''))
  const own = { ...before, identityKey: toBase64(identity.publicKey) }
  const { username: _, ...unnamed } = own
  const first = signManifest(identity.seed, own)
  for (const next of [unnamed, { ...own, username: 'mallory' }]) {
    const signed = signManifest(identity.seed, { ...next, version: own.version + 1 })
    const check = () => checkSuccession({ version: own.version, content: first.content }, signed, identity.publicKey)
    expect(check).toThrow(expect.objectContaining({ code: 'manifest_name' }))
  }
})

test('An account of before: its name is signed when its keys are next changed, and friends go on without a question', async () => {
  const { phone, wire: old, bob: friend, alice: owner } = await openFixture('first')
  const listed = { userId: friend.userId, username: friend.username, identityKey: null }
  const key = old.contact(owner.userId, friend.userId).contactUser.identityKey
  const shown = { ...listed, identityKey: key }
  // The older pin has no name, so the first name shown is pinned.
  expect(await phone.core.compareAccounts([shown])).toMatchObject([{ username: friend.username, mismatch: null }])
  expect(await phone.core.compareAccounts([{ ...shown, username: 'mallory' }])).toMatchObject([{ mismatch: 'name_changed' }])
  const nameIn = () => JSON.parse(old.accounts.get(owner.userId)?.keys.manifest.content ?? '{}').username
  expect(nameIn()).toBeUndefined()
  const laptop = await phone.newComputer()
  expect(nameIn()).toBe(owner.username.toLowerCase())
  await changesKeys(laptop, { removeDevices: [] })
  expect(nameIn()).toBe(owner.username.toLowerCase())
})

test('A friend vanishes from the list: it is said until she has answered, also in her other browsers, and nobody else is named', async () => {
  await alice.says(bob, 'hello')
  await alice.says(eve, 'hello')
  await reloadRooms(alice.env)
  const gone = async (env: Env) => {
    await reloadRooms(env)
    await checkVanished(env)
    return vanishedStore.getState().vanished
  }
  expect(await gone(alice.env)).toEqual([])
  const env = listing((person) => (person.id === bob.userId ? undefined : {}))
  expect(await gone(env)).toEqual([{ userId: bob.userId, username: bob.username }])
  await syncBook(env)
  const laptop = await alice.newComputer()
  await syncBook(laptop.env)
  expect(await gone(laptop.env)).toHaveLength(1)
  await knowVanished(env, bob.userId)
  expect(await gone(env)).toEqual([])
  await syncBook(laptop.env)
  expect(await gone(laptop.env)).toEqual([])
})
