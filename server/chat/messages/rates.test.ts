import { expect, test } from 'vitest'
import { RATES } from '../../../contract/ground/rates.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })

test('silent messages have a rate of each member and room, which leaves the others theirs', async () => {
  const [alice, bob, carol] = [await world.person('alice'), await world.person('bob'), await world.person('carol')]
  const [chatRoomId, other] = [await alice.talksTo(bob), await alice.talksTo(carol)]
  const says = (room: string) => alice.posts(room, 'a call', { isSilent: true })
  for (let count = 0; count < RATES.silentInRoom.points; count++) expect(await says(chatRoomId)).toMatchObject({ status: 200 })
  expect(await says(chatRoomId)).toBeRefused(429, 'too_many_requests')
  expect(await says(other)).toMatchObject({ status: 200 })
  expect(await bob.posts(chatRoomId, 'a call', { isSilent: true })).toMatchObject({ status: 200 })
  expect(await alice.posts(chatRoomId, 'words')).toMatchObject({ status: 200 })
  world.passes(RATES.silentInRoom.seconds)
  expect(await says(chatRoomId)).toMatchObject({ status: 200 })
})
