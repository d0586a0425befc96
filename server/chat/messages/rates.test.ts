import { expect, test } from 'vitest'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })

test('silent notes have a day of their own, which takes nothing from what is said', async () => {
  const alice = await world.person('alice')
  const { chatRoomId } = await alice.does(roomsApi.openNotes, {})
  const silent = () => alice.posts(chatRoomId, 'a mark', { isSilent: true })
  const day = RATES.silentNotes.seconds
  // A day begins, so that no other ends within it.
  world.passes(day - ((world.env.clock().getTime() / 1000) % day))
  await alice.returns()
  for (let count = 0; count < RATES.silentNotes.points; count++) {
    if (count % RATES.silentInRoom.points === 0) world.passes(RATES.silentInRoom.seconds)
    expect(await silent()).toMatchObject({ status: 200 })
  }
  world.passes(RATES.silentInRoom.seconds)
  expect(await silent()).toBeRefused(429, 'too_many_requests')
  expect(await alice.posts(chatRoomId, 'words')).toMatchObject({ status: 200 })
})

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
