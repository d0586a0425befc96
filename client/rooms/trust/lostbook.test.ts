import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SignedBook } from '../../../contract/account/devices.ts'
import { manifestShape } from '../../../contract/account/documents.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { startBook } from '../../me/account/keys.ts'
import { at, passwordOf, type TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { signBook } from '../../worker/keys/signature.ts'
import { checkBook, lostBookStore, resetLostBook, syncBook } from './book.ts'
import { refreshOwnDevices } from './ownDevices.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let tablet: TestPerson

/** Alice has compared Bob's number, and adds a tablet after a stolen browser has put rubbish in the place of every book. */
beforeEach(async () => {
  ;({ wire, alice, bob } = await people())
  await alice.says(bob, 'hello')
  const { identityKey } = await alice.core.safetyNumber({ userId: bob.userId })
  await alice.core.setVerified({ userId: bob.userId, identityKey, isVerified: true })
  await syncBook(alice.env)
  const { live } = await patchedClient(alice, bob)
  const { version, historyKeyId } = account().book
  const sealed = toBase64(crypto.getRandomValues(new Uint8Array(300)))
  const rubbish: SignedBook = signBook(live, { version: version + 1, historyKeyId, sealed })
  Object.assign(account(), { book: rubbish, books: { [rubbish.deviceId]: rubbish } })
  tablet = await alice.newComputer()
  const { username } = alice
  // Only the name is read: it is what the password is stretched with.
  accountStore.setState({ user: { id: alice.userId, username } as never })
})
afterEach(() => {
  resetLostBook()
  accountStore.setState(accountStore.getInitialState(), true)
})

function account() {
  const found = wire.accounts.get(alice.userId)
  if (!found) throw new Error('Alice is not on the wire')
  return found
}

const startsAnew = () =>
  at(tablet.computer, () => startBook(tablet.env, { kind: 'password', password: passwordOf(alice.username) }))

/** What the tablet knows of Bob, as the server shows him. */
async function bobAt({ core, contact }: TestPerson) {
  const { identityKey, username } = contact(bob).contactUser
  return (await core.compareAccounts([{ userId: bob.userId, identityKey, username }]))[0]
}

test('No address book of the account holds: a way in starts an empty one with a new history key, and each chat asks for its key before it sends', async () => {
  await expect(checkBook(tablet.env)).rejects.toMatchObject({ code: 'book_unread' })
  expect(lostBookStore.getState().isLost).toBe(true)
  const before = manifestShape.parse(JSON.parse(account().keys.manifest.content))

  await startsAnew()
  expect(lostBookStore.getState().isLost).toBe(false)
  const { historyKeyId } = manifestShape.parse(JSON.parse(account().keys.manifest.content))
  expect(historyKeyId).toBe(before.historyKeyId + 1)
  expect(account().book).toMatchObject({ deviceId: tablet.deviceId, historyKeyId })
  expect(await tablet.verified()).toEqual([])
  // What was written is read, and nothing is sent.
  expect(await tablet.hears(bob)).toEqual(['hello'])
  await expect(tablet.says(bob, 'to whom?')).rejects.toThrow('You have not confirmed this person’s key yet')
  expect(await bobAt(tablet)).toMatchObject({ isVerified: false, mismatch: 'key_undecided' })

  const { identityKey, username } = tablet.contact(bob).contactUser
  await tablet.core.trustKey({ userId: bob.userId, identityKey: identityKey ?? '', username })
  await tablet.sends(tablet.room(bob))
  expect(await bobAt(tablet)).toMatchObject({ isVerified: false, mismatch: null })
  expect(await bob.hears(alice)).toEqual(['hello', 'to whom?'])
})

test('Another browser is opened later: its copy comes into the book that was started anew, and what it compared asks no more', async () => {
  await checkBook(tablet.env).catch(() => undefined)
  await startsAnew()
  await tablet.hears(bob)
  expect(await bobAt(tablet)).toMatchObject({ mismatch: 'key_undecided' })

  await refreshOwnDevices(alice.env)
  await checkBook(alice.env)
  expect(await bobAt(alice)).toMatchObject({ isVerified: true, mismatch: null })
  await checkBook(tablet.env)
  expect(await bobAt(tablet)).toMatchObject({ isVerified: true, mismatch: null })
  await tablet.says(bob, 'it is known whom')
})

test('Another browser was opened meanwhile: its copy has taken the place of the rubbish, and nothing begins anew', async () => {
  await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_spoiled' })
  await checkBook(alice.env)
  expect(lostBookStore.getState().isLost).toBe(false)
  await startsAnew()
  expect(await tablet.verified()).toEqual([bob.userId])
  expect(await bobAt(tablet)).toMatchObject({ mismatch: null })
})
