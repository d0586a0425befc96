import { expect, test } from 'vitest'
import { PACE } from '../../ground/http/pace.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ pace: { ...PACE, heartbeatMs: 700 } })

test('a device that dies without a word is away after two heartbeats, while the other one answers', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await alice.talksTo(bob)
  const [hers, his] = [await alice.opensSocket(), await bob.opensSocket()]
  expect((await hers.hears('presence', ({ data }) => data.userId === bob.id)).data.isOnline).toBe(true)
  // Neither reads nor answers, and no connection is closed.
  his.raw.pause()
  const isAway = () =>
    world.sql('select cardinality(nodes)::int as here, last_seen is not null as seen from presence where user_id = $1', [bob.id])
  await expect.poll(isAway).toEqual([{ here: 0, seen: true }])
  expect((await hers.hears('presence', ({ data }) => !data.isOnline)).data).toMatchObject({ userId: bob.id })
  hers.hangsUp()
  his.raw.terminate()
})
