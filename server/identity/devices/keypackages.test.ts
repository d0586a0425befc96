import { expect, test } from 'vitest'
import { keyPackagesApi } from '../../../contract/account/keypackages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { creation } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { dropUnusedKeyPackages } from './keypackages.ts'

const world = await startWorld()
const DAY = 24 * 60 * 60

/** Advances the clock by days. People whose sessions have expired sign in again. */
async function daysPass(days: number, ...people: Person[]): Promise<void> {
  world.passes(days * DAY)
  await world.jobs.runDue()
  for (const person of people) await person.returns()
}

async function pair() {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  return { alice, bob, chatRoomId: await alice.talksTo(bob) }
}

const claim = async (person: Person, chatRoomId: string) =>
  (await person.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })).packages
const left = (person: Person) => person.does(keyPackagesApi.left, {})
const claimsOf = (chatRoomId: string) => world.sql('select key_package from key_packages where claimed_room = $1', [chatRoomId])

test('a claim whose group is never created is dropped after a day, and its package is never handed out again', async () => {
  const { alice, bob, chatRoomId } = await pair()
  const [first] = await claim(alice, chatRoomId)
  world.passes(DAY - 60)
  await dropUnusedKeyPackages(world.env)
  expect(await claim(alice, chatRoomId)).toEqual([first])
  world.passes(60)
  await dropUnusedKeyPackages(world.env)
  expect(await claimsOf(chatRoomId)).toEqual([])
  expect(await left(bob)).toEqual({ oneTime: 2, hasLastResort: true })
  const [second] = await claim(alice, chatRoomId)
  expect(second?.keyPackage).not.toBe(first?.keyPackage)
  // The claimer took longer than a day. Its group can still be created.
  await alice.does(roomsApi.commit, creation(chatRoomId))
  expect(await claimsOf(chatRoomId)).toEqual([])
})

test('a claim of a server from before the dates is dated first, and dropped a day later', async () => {
  const { alice, chatRoomId } = await pair()
  await claim(alice, chatRoomId)
  await world.sql("update key_packages set claimed_at = null, created_at = '2020-01-01Z' where claimed_room = $1", [chatRoomId])
  await dropUnusedKeyPackages(world.env)
  expect(await claimsOf(chatRoomId)).toHaveLength(1)
  world.passes(DAY)
  await dropUnusedKeyPackages(world.env)
  expect(await claimsOf(chatRoomId)).toEqual([])
})

test('one-time packages that nobody claims for 90 days are dropped, the last resort stays, and the device refills', async () => {
  const { alice, bob, chatRoomId } = await pair()
  await daysPass(LIMITS.keyPackageDays - 1, bob)
  expect(await left(bob)).toEqual({ oneTime: 3, hasLastResort: true })
  await bob.does(keyPackagesApi.add, { oneTime: ['ZnJlc2g='] })
  await daysPass(1, alice, bob)
  expect(await left(bob)).toEqual({ oneTime: 1, hasLastResort: true })
  await daysPass(LIMITS.keyPackageDays, alice, bob)
  expect(await left(bob)).toEqual({ oneTime: 0, hasLastResort: true })
  // A new room can still be created, with the last resort.
  expect(await claim(alice, chatRoomId)).toHaveLength(1)
  await bob.does(keyPackagesApi.add, { oneTime: ['bW9yZQ==', 'YWdhaW4='] })
  expect(await left(bob)).toEqual({ oneTime: 2, hasLastResort: true })
})

test('more than one piece holds is dropped piece by piece', async () => {
  const { bob } = await pair()
  await world.sql(
    `insert into key_packages (id, user_id, device_id, key_package, is_last_resort, created_at)
     select gen_random_uuid(), $1, $2, 'x', false, '2020-01-01Z' from generate_series(1, 600)`,
    [bob.id, bob.deviceId],
  )
  expect(await dropUnusedKeyPackages(world.env)).toBe(true)
  expect(await left(bob)).toMatchObject({ oneTime: 103 })
  expect(await dropUnusedKeyPackages(world.env)).toBe(false)
  expect(await left(bob)).toMatchObject({ oneTime: 3 })
})
