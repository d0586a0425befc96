import { beforeEach, expect, test } from 'vitest'
import type { TestPerson } from '../../testing/people.ts'
import { changesKeys, people } from '../../testing/room.ts'
import { syncBook } from './book.ts'

let alice: TestPerson
let bob: TestPerson
let eve: TestPerson

beforeEach(async () => {
  ;({ alice, bob, eve } = await people())
  await alice.says(bob, 'hello')
  await alice.says(eve, 'hello')
  await syncBook(alice.env)
})

/** Marks this person's key as verified in this browser. */
async function verifies({ core, env }: TestPerson, { userId }: TestPerson) {
  const { identityKey } = await core.safetyNumber({ userId })
  await core.setVerified({ userId, identityKey, isVerified: true })
  await syncBook(env)
}

/** Alice has verified Bob; her laptop, or its thief, has verified Eve. */
async function withLaptop() {
  const laptop = await alice.newComputer()
  await syncBook(laptop.env)
  await verifies(laptop, eve)
  await syncBook(alice.env)
  await verifies(alice, bob)
  expect((await alice.verified()).sort()).toEqual([bob.userId, eve.userId].sort())
  return laptop
}

test('A thief marks his own key as verified on a stolen browser: when that is removed as stolen the mark goes, and her own one stays', async () => {
  const laptop = await withLaptop()
  await changesKeys(alice, { removeDevices: [laptop.deviceId], areStolen: true })
  expect(await alice.verified()).toEqual([bob.userId])
  // The key stays pinned: without a pin the account would accept any key as the first.
  expect((await alice.core.safetyNumber({ userId: eve.userId })).identityKey).toBe(alice.contact(eve).contactUser.identityKey)
  const tablet = await alice.newComputer()
  await syncBook(tablet.env)
  expect(await tablet.verified()).toEqual([bob.userId])
})

test('A browser that is only removed takes no marks with it', async () => {
  const laptop = await withLaptop()
  await changesKeys(alice, { removeDevices: [laptop.deviceId] })
  expect((await alice.verified()).sort()).toEqual([bob.userId, eve.userId].sort())
})
