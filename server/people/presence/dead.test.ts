import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { accountApi } from '../../../contract/account/account.ts'
import { PACE } from '../../ground/http/pace.ts'
import type { Listener } from '../../settings/config.ts'
import { newBrowser } from '../../testing/browser.ts'
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

test('through Tor, where circuits stall, a device may miss one heartbeat and is away after the next', async () => {
  const origin = `http://${'a'.repeat(56)}.onion`
  const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [origin] }
  const port = await world.opens(onion)
  const pings = async (url: string, cookie: string) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { cookie }, autoPong: false })
    let pinged = 0
    socket.on('ping', () => {
      pinged += 1
    })
    await new Promise((closed) => socket.once('close', closed))
    return pinged
  }
  const carol = await world.person('carol')
  const onionUrl = `http://127.0.0.1:${port}`
  const there = newBrowser(onionUrl, origin)
  await there.does(accountApi.login, { username: 'carol', password: carol.authSecret, kdf: 1 })
  await there.proves(carol.deviceId)
  const [direct, byOnion] = await Promise.all([pings(world.url, carol.cookie ?? ''), pings(onionUrl, there.cookie ?? '')])
  expect([direct, byOnion]).toEqual([1, 2])
})
