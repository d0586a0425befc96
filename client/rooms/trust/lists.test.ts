import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { nextListOf } from '../../testing/lists.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { accountIn } from '../../testing/state.ts'
import type { Wire } from '../../testing/wire.ts'
import { openLive } from '../../worker/account/openAccount.ts'
import { bookWrite, readBook } from '../../worker/lists/book.ts'
import { mergedPin, requirePinnedList, withPin } from '../../worker/lists/pins.ts'
import { syncBook } from './book.ts'
import { refreshPeers } from './peers.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson

beforeEach(async () => {
  // Requests are paused for a minute after a failure.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 })
  ;({ wire, alice, bob } = await people())
})
afterEach(() => vi.useRealTimers())

const accountOf = ({ userId }: TestPerson) => accountIn(wire, userId)

test("A new browser of Alice's knows the newest list of Bob's browsers from her address book: no older and no other one passes", async () => {
  await alice.says(bob, 'hello')
  const older = accountOf(bob).keys.manifest
  const forged = await nextListOf(wire, bob, 'RXZl')
  accountOf(bob).keys.manifest = await nextListOf(wire, bob, 'Qm9i')
  await alice.says(bob, 'to your new list')
  // A newer list alone is no reason to save the book.
  expect(await alice.core.sealBook()).toBeNull()
  const { identityKey } = await alice.core.safetyNumber({ userId: bob.userId })
  await alice.core.setVerified({ userId: bob.userId, identityKey, isVerified: true })
  await syncBook(alice.env)
  const laptop = await alice.newComputer()
  for (const [manifest, code, fault] of [
    [older, 'pin_newer', 'list_older_elsewhere'],
    [forged, 'pin_differs', 'list_differs_elsewhere'],
  ] as const) {
    wire.lie = (_, path, answer) => (path === devicesApi.manifest.path ? { ...(answer as object), manifest } : answer)
    await expect(laptop.reads(bob)).rejects.toMatchObject({ code, fault })
  }
  wire.lie = undefined
  expect((await laptop.hears(bob)).at(-1)).toBe('to your new list')
})

test('A pin of an older build gets the list as soon as this browser looks at the contact, who has changed nothing', async () => {
  await alice.says(bob, 'hello')
  const live = await openLive(alice.userId, alice.unlock)
  const pinOf = async () => (await readBook(live)).book.pins[bob.userId]
  const before = await pinOf()
  const { manifest: noted, ...older } = before ?? { identityKey: '', isVerified: false }
  expect(noted).toMatchObject({ version: 1 })
  const row = await readBook(live)
  await live.vault.write([bookWrite(withPin(row, bob.userId, older))])
  await live.vault.write([bookWrite({ ...(await readBook(live)), isDirty: false })])
  await refreshPeers(alice.env, alice.room(bob))
  expect(await pinOf()).toEqual(before)
  // That alone is no reason to save the book.
  expect(await alice.core.sealBook()).toBeNull()
})

test('Of two browsers each keeps the list that it has seen itself, and a number that cannot be counts for nothing', () => {
  const [one, other] = ['a', 'b'].map((letter) => btoa(letter.repeat(16)))
  const pin = { identityKey: btoa('k'.repeat(32)), isVerified: false }
  const own = { ...pin, manifest: { version: 3, hash: one ?? '' } }
  const theirs = { ...pin, manifest: { version: 2_000_000_000, hash: other ?? '' } }
  expect(mergedPin(own, theirs).pin.manifest).toEqual(own.manifest)
  expect(mergedPin(pin, theirs).pin.manifest).toEqual(theirs.manifest)
  expect(mergedPin({ ...pin, identityKey: btoa('x'.repeat(32)), n: 1 }, theirs).pin.manifest).toBeUndefined()
  expect(() => requirePinnedList(theirs, own.manifest)).not.toThrow()
})
