import { expect, test } from 'vitest'
import { RATES } from '../../contract/limits.ts'
import { roomsApi } from '../../contract/rooms.ts'
import { creation } from '../testing/group.ts'
import { RefusedCall } from '../testing/person.ts'
import { startWorld } from '../testing/world.ts'

const world = await startWorld({ hasLimits: true })

test('a new history key, without any removal: every room of the account waits until a commit leaves the old key behind', async () => {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  const chatRoomId = await alice.talksTo(bob)
  await alice.does(roomsApi.commit, creation(chatRoomId))
  const isWaiting = async () =>
    (await world.sql('select needs_commit as waits from chat_rooms where id = $1', [chatRoomId]))[0]?.['waits']
  await bob.changesKeys({ adds: ['passkey'] })
  expect(await isWaiting()).toBe(false)
  await bob.changesKeys({ keepsHistory: false })
  expect(await isWaiting()).toBe(true)
})

test('Eve has opened the keys and makes one history key after another: after a day full of them she is told the seconds', async () => {
  const eve = await world.person('eve')
  const { points } = RATES.historyKeys
  for (let made = 0; made < points; made++) await eve.changesKeys({ keepsHistory: made % 2 === 1 })
  const refused = await eve.changesKeys({ keepsHistory: false }).catch((error: unknown) => error)
  if (!(refused instanceof RefusedCall)) throw new Error('It was taken')
  expect(refused.answer).toBeRefused(429, 'too_many_requests')
  // Changes without a new history key still work.
  await eve.changesKeys({ adds: ['passkey'] })
  world.passes(24 * 60 * 60)
  await eve.elsewhere()
})
