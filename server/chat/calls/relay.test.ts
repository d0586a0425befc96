import { createHmac, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { callsApi } from '../../../contract/chat/calls.ts'
import type { Listener } from '../../settings/config.ts'
import { signsInAt } from '../../testing/byonion.ts'
import type { Person } from '../../testing/person.ts'
import { turnClient } from '../../testing/turnclient.ts'
import { startWorld } from '../../testing/world.ts'

const secret = 'a secret of the relay'
const turn = ['turn:relay.example.org:3478?transport=udp', 'turns:relay.example.org:443?transport=tcp']
const stun = 'stun:relay.example.org:3478'
const world = await startWorld({ variables: { TURN_URLS: [stun, ...turn].join(), TURN_SECRET: secret }, hasLimits: true })
const { alice, bob, eve } = await world.people()

type State = Partial<Record<'is_rung' | 'answered_at' | 'ended_at' | 'rang_at', unknown>>

/** Alice rings Bob. */
async function rings(state: State = {}): Promise<string> {
  const [id, now] = [randomUUID(), world.env.clock()]
  const row = { is_rung: true, rang_at: now, answered_at: null, ended_at: null, ...state }
  await world.sql(
    `insert into calls (id, caller_id, callee_id, call_type, attempt, caller_session, is_rung, rang_at, answered_at, ended_at)
     values ($1, $2, $3, 'voice', 1, '\\x00', $4, $5, $6, $7)`,
    [id, alice.id, bob.id, row.is_rung, row.rang_at, row.answered_at, row.ended_at],
  )
  return id
}

const asks = (who: Person, callId?: string) => who.does(callsApi.turn, callId === undefined ? {} : { callId })

test('both ends of a call that rings or runs are given the relay for ten minutes, under a name that is nobody’s and no two share', async () => {
  for (const callId of [await rings(), await rings({ answered_at: world.env.clock(), rang_at: new Date(0) })]) {
    const answers = [await asks(alice, callId), await asks(bob, callId), await asks(bob, callId)]
    const names = answers.map(({ hasRelay, iceServers, expiresAt }) => {
      const [first, relay] = iceServers
      expect([hasRelay, first, relay?.urls]).toEqual([true, { urls: [stun] }, turn])
      const { username = '', credential } = relay ?? {}
      expect(username).toMatch(/^\d{10}:[0-9a-f]{24}$/)
      expect(credential).toBe(createHmac('sha1', secret).update(username).digest('base64'))
      const seconds = Number(username.split(':')[0])
      expect(seconds).toBe(Math.floor(Date.parse(expiresAt ?? '') / 1000))
      expect(Math.abs(seconds - world.env.clock().getTime() / 1000 - CALL_LIMITS.relaySeconds)).toBeLessThan(10)
      for (const who of [alice, bob]) expect(username).not.toContain(who.id)
      return username
    })
    expect(new Set(names).size).toBe(3)
  }
})

test('Eve is given no relay for a call of others, nor anybody for one that is over, that nobody took, or that does not reach them', async () => {
  const [ringing, hidden] = [await rings(), await rings({ is_rung: false })]
  const over = await rings({ answered_at: world.env.clock(), ended_at: world.env.clock() })
  const late = await rings({ rang_at: new Date(world.env.clock().getTime() - CALL_LIMITS.ringSeconds * 1000) })
  const refused: [Person, string][] = [
    [eve, ringing],
    [eve, randomUUID()],
    [alice, over],
    [bob, over],
    [alice, late],
    [bob, hidden],
  ]
  for (const [who, callId] of refused) expect(await who.tries(callsApi.turn, { callId })).toBeRefused(404, 'not_found')
  expect(await asks(alice, hidden)).toMatchObject({ hasRelay: true })
  expect(await eve.tries(callsApi.turn, { callId: 'x' })).toBeRefused(400)
})

test('a test without a call has the relay for a minute, ten times an hour', async () => {
  for (let count = 0; count < 10; count++) {
    const { expiresAt } = await asks(eve)
    expect(Math.abs(Date.parse(expiresAt ?? '') - world.env.clock().getTime() - 60_000)).toBeLessThan(10_000)
  }
  expect(await eve.tries(callsApi.turn, {})).toBeRefused(429, 'too_many_requests')
  // Calls go on.
  expect(await asks(bob, await rings())).toMatchObject({ hasRelay: true })
  world.passes(60 * 60)
  await asks(eve)
})

test('whoever comes by an onion service is given no relay, unless they let this call leave Tor', async () => {
  const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [world.url] }
  const port = await world.opens(onion)
  const callId = await rings()
  const her = await signsInAt(`http://127.0.0.1:${port}`, alice, world.url)
  for (const input of [{}, { callId }, { callId, leavesTor: 'false' }])
    expect(await her.tries(callsApi.turn, input)).toBeRefused(403, 'call_leaves_tor')
  expect(await her.does(callsApi.turn, { callId, leavesTor: 'true' })).toMatchObject({ hasRelay: true })
  // It allows no call of others.
  expect(await her.tries(callsApi.turn, { callId: randomUUID(), leavesTor: 'true' })).toBeRefused(404, 'not_found')
})

test('without a relay the answer says so, and has what the operator has set of STUN alone', async () => {
  const none = await startWorld({ variables: { PUBLIC_URL: 'http://chat.example.org' } })
  const person = await none.person('alice')
  expect(await person.does(callsApi.turn, {})).toEqual({ hasRelay: false, iceServers: [], expiresAt: null })
  const some = await startWorld({ variables: { TURN_URLS: stun } })
  const other = await some.person('alice')
  expect(await other.does(callsApi.turn, {})).toEqual({ hasRelay: false, iceServers: [{ urls: [stun] }], expiresAt: null })
  expect(await other.does(callsApi.settings, {})).toEqual({ ringsClosed: true, hasRelay: false, hidesByDefault: false })
})

test('the server’s own relay takes what the server gives, hides nobody by default, starts where it is told to, and ends with the server', async () => {
  const here = await startWorld()
  const person = await here.person('alice')
  expect(await person.does(callsApi.settings, {})).toMatchObject({ hasRelay: false })
  await here.env.relay.start()
  expect(await person.does(callsApi.settings, {})).toMatchObject({ hasRelay: true, hidesByDefault: false })
  // It keeps no process alive.
  expect(process.getActiveResourcesInfo().filter((name) => /udp/i.test(name))).toEqual([])
  const { iceServers } = await person.does(callsApi.turn, {})
  const [{ urls, username = '', credential = '' } = { urls: [] }] = iceServers
  const port = Number(/^turn:127\.0\.0\.1:(\d+)\?transport=udp$/.exec(urls[0] ?? '')?.[1])
  const client = await turnClient(port, { username, credential })
  expect((await client.allocates()).code).toBe(0)
  await here.env.relay.stop()
  expect(await person.does(callsApi.settings, {})).toMatchObject({ hasRelay: false })
})

test('“Ring closed browsers” is on, is switched for the account, and nothing but true or false is taken', async () => {
  const laptop = await alice.addsBrowser()
  expect(await alice.does(callsApi.settings, {})).toEqual({ ringsClosed: true, hasRelay: true, hidesByDefault: true })
  await alice.does(callsApi.updateSettings, { ringsClosed: false })
  expect(await laptop.does(callsApi.settings, {})).toMatchObject({ ringsClosed: false, hasRelay: true })
  expect(await bob.does(callsApi.settings, {})).toMatchObject({ ringsClosed: true })
  for (const ringsClosed of ['false', 0, null, undefined])
    expect((await alice.tries(callsApi.updateSettings, { ringsClosed })).status).toBe(400)
})
