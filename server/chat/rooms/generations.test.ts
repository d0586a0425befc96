import { expect, test } from 'vitest'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { creation } from '../../testing/group.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })

async function pair() {
  const [alice, eve] = await Promise.all([world.person('alice'), world.person('eve')])
  const chatRoomId = await alice.talksTo(eve)
  await alice.does(roomsApi.commit, creation(chatRoomId))
  return { alice, eve, chatRoomId }
}

/** Moves the clock to the beginning of the next window of the hourly rate. */
const toHour = () => {
  const { seconds } = RATES.generations
  world.passes(seconds - ((world.env.clock().getTime() / 1000) % seconds))
}

const knowing = (draft: ReturnType<typeof creation>, versions: Record<string, number>) => ({
  ...draft,
  manifestVersions: versions,
})

test("a generation is created by the device that claimed its packages, not by whoever has a session of Alice's", async () => {
  const { alice, eve, chatRoomId } = await pair()
  const laptop = await alice.addsBrowser()
  const versions = { [alice.id]: 2, [eve.id]: 1 }
  const path = `/api/rooms/${chatRoomId}/commits`
  const { chatRoomId: _, ...body } = knowing(creation(chatRoomId, 2), versions)
  await alice.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })
  const unproven = await alice.elsewhere()
  for (const browser of [laptop, eve]) {
    expect(await browser.request('POST', path, { body })).toBeRefused(400, 'invalid_input')
  }
  expect(await unproven.request('POST', path, { body })).toBeRefused(403, 'device_required')
  expect(await alice.request('POST', path, { body })).toMatchObject({ status: 200 })
  // The claim is used up, and sending the same bytes again returns their seq.
  expect(await alice.request('POST', path, { body })).toMatchObject({ status: 200 })
  const { chatRoomId: __, ...third } = knowing(creation(chatRoomId, 3), versions)
  expect(await alice.request('POST', path, { body: third })).toBeRefused(400, 'invalid_input')
})

test('Eve makes one generation after another, with a second account of hers in turn: the room has five an hour, no more', async () => {
  const [eve, mallory] = await Promise.all([world.person('eve'), world.person('mallory')])
  const chatRoomId = await eve.talksTo(mallory)
  toHour()
  let generation = 0
  for (let made = 0; made < RATES.generations.points; made++) {
    generation += 1
    await (made % 2 === 0 ? eve : mallory).does(roomsApi.commit, creation(chatRoomId, generation))
  }
  for (const one of [mallory, eve]) {
    const refused = await one.tries(roomsApi.commit, creation(chatRoomId, generation + 1))
    expect(refused).toBeRefused(429, 'too_many_requests')
    const { retryAfterSeconds } = refused.body as { retryAfterSeconds: number }
    expect(retryAfterSeconds).toBeGreaterThan(0)
    expect(retryAfterSeconds).toBeLessThanOrEqual(3600)
  }
  expect((await eve.does(roomsApi.group, { chatRoomId })).generation).toBe(generation)
  toHour()
  await mallory.does(roomsApi.commit, creation(chatRoomId, generation + 1))
})

test('what Eve makes in her room counts in no other room', async () => {
  const { alice, eve, chatRoomId } = await pair()
  const bob = await world.person('bob')
  const other = await alice.talksTo(bob)
  toHour()
  for (let made = 0; made < RATES.generations.points; made++) await eve.does(roomsApi.commit, creation(chatRoomId, made + 2))
  await alice.does(roomsApi.commit, creation(other))
})
