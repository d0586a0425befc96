import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { callsApi } from '../../../contract/chat/calls.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { transfersApi } from '../../../contract/chat/transfers.ts'
import type { Listener } from '../../settings/config.ts'
import { signsInAt } from '../../testing/byonion.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld, type World } from '../../testing/world.ts'

const turn = 'turn:relay.example.org:3478?transport=udp'
const world = await startWorld({ variables: { TURN_URLS: turn, TURN_SECRET: 'a secret of the relay' } })
const MIB = TRANSFER_LIMITS.toldStepBytes
const DAY_SECONDS = 24 * 60 * 60

const asks = (who: Pick<Person, 'tries'>, transferId: string) => who.tries(callsApi.turn, { transferId })
const relayed = async (transferId: string) =>
  (await world.sql('select relayed_at is not null as relayed from transfers where id = $1', [transferId]))[0]?.['relayed']

/** The sender has offered so many MiB, and the receiver has accepted. */
async function runs(sender: Person, receiver: Person, mib: number, at: World = world): Promise<string> {
  const transferId = randomUUID()
  await at.sql(
    `insert into transfers (id, sender_id, receiver_id, sender_device, receiver_device, attempt, bytes, created_at)
     values ($1, $2, $3, $4, $5, 1, $6, $7)`,
    [transferId, sender.id, receiver.id, sender.deviceId, receiver.deviceId, mib * MIB, at.env.clock()],
  )
  return transferId
}

/** Uses up what the relay carries for the two in a day, but for so many MiB. */
async function usesUp(sender: Person, receiver: Person, butMib: number): Promise<string> {
  const leftMib = TRANSFER_LIMITS.relayedBytes / MIB - butMib
  let last = ''
  for (let done = 0; done < leftMib; done += 100) {
    last = await runs(sender, receiver, Math.min(100, leftMib - done))
    expect(await asks(sender, last)).toMatchObject({ status: 200 })
  }
  return last
}

const three = () => Promise.all(['alice', 'bob', 'carol'].map((name) => world.person(name))) as Promise<[Person, Person, Person]>

test('the two browsers of an accepted transfer are given the relay for ten minutes, and nobody else is', async () => {
  const [alice, bob, eve] = await three()
  const [hersToo, hisToo] = [await alice.addsBrowser(), await bob.addsBrowser()]
  const transferId = await runs(alice, bob, 1)
  for (const who of [alice, bob]) {
    const { hasRelay, iceServers, expiresAt } = await who.does(callsApi.turn, { transferId })
    expect([hasRelay, iceServers[0]?.urls]).toEqual([true, [turn]])
    const leftMs = Date.parse(expiresAt ?? '') - world.env.clock().getTime()
    expect(Math.abs(leftMs - CALL_LIMITS.relaySeconds * 1000)).toBeLessThan(10_000)
  }
  for (const who of [eve, hersToo, hisToo]) expect(await asks(who, transferId)).toBeRefused(404, 'not_found')
  expect(await asks(alice, randomUUID())).toBeRefused(404, 'not_found')
  const over: Record<string, string> = {
    'is not accepted': 'receiver_device = null',
    'has ended': "ended_at = now(), end_reason = 'done'",
    'has expired': "created_at = created_at - interval '1 day'",
    'has lost the browser with the file': 'sender_device = null',
  }
  for (const [what, change] of Object.entries(over)) {
    const other = await runs(alice, bob, 1)
    await world.sql(`update transfers set ${change} where id = $1`, [other])
    for (const who of [alice, bob]) expect([what, await asks(who, other)]).toMatchObject([what, { status: 404 }])
    expect([what, await relayed(other)]).toEqual([what, false])
  }
  expect(await alice.tries(callsApi.turn, { transferId, callId: randomUUID() })).toBeRefused(400, 'invalid_input')
  expect(await alice.tries(callsApi.turn, { transferId: 'x' })).toBeRefused(400)
})

test('the relay carries 1 GB of an account in 24 hours, to the last byte, whichever side it is on; each transfer counts once', async () => {
  const [alice, bob, carol] = await three()
  const dave = await world.person('dave')
  const last = await usesUp(alice, bob, 2)
  for (const who of [alice, bob, alice]) expect(await asks(who, last)).toMatchObject({ status: 200 })
  const refused = [
    [alice, carol, 3],
    [carol, alice, 3],
    [carol, bob, 3],
  ] as const
  for (const [sender, receiver, mib] of refused) {
    const transferId = await runs(sender, receiver, mib)
    for (const who of [sender, receiver]) expect(await asks(who, transferId)).toBeRefused(403, 'relay_limit_reached')
    expect(await relayed(transferId)).toBe(false)
  }
  expect(await asks(carol, await runs(carol, alice, 2))).toMatchObject({ status: 200 })
  expect(await asks(alice, await runs(alice, carol, 1))).toBeRefused(403, 'relay_limit_reached')
  // Of others nothing was counted.
  expect(await asks(carol, await runs(carol, dave, 100))).toMatchObject({ status: 200 })
  // What was given stays given.
  expect(await asks(bob, last)).toMatchObject({ status: 200 })
})

test('of two transfers that want the last bytes at once one gets them', async () => {
  const [alice, bob, carol] = await three()
  await usesUp(alice, bob, 10)
  const pairs = [
    [alice, await runs(alice, bob, 10)],
    [carol, await runs(carol, alice, 10)],
  ] as const
  const answers: Promise<unknown>[] = []
  await world.env.db.transaction(async (tx) => {
    // So that both have begun.
    await tx.execute('lock table transfers in share mode')
    for (const [who, transferId] of pairs) answers.push(asks(who, transferId))
    await world.lockWaits(2)
  })
  const given = (await Promise.all(answers)).map((answer) => Object(answer).status).filter((status) => status === 200)
  expect(given).toHaveLength(1)
})

test('a day later the gigabyte is there again, and the deletion of the other account gives none of it back', async () => {
  const [alice, bob, carol] = await three()
  const dave = await world.person('dave')
  const last = await usesUp(alice, bob, 0)
  await bob.does(transfersApi.end, { transferId: last, reason: 'done' })
  await bob.does(accountApi.remove, { password: bob.authSecret, kdf: 1 })
  world.passes(60)
  await world.jobs.runDue()
  expect(await asks(alice, await runs(alice, carol, 1))).toBeRefused(403, 'relay_limit_reached')
  world.passes(DAY_SECONDS - 120)
  await world.jobs.runDue()
  await alice.returns()
  expect(await asks(alice, await runs(alice, dave, 1))).toBeRefused(403, 'relay_limit_reached')
  world.passes(120)
  expect(await asks(alice, await runs(alice, dave, 100))).toMatchObject({ status: 200 })
})

test('whoever comes by an onion service is given no relay for a transfer, unless they let this one leave Tor', async () => {
  const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [world.url] }
  const port = await world.opens(onion)
  const [alice, bob] = await three()
  const transferId = await runs(alice, bob, 1)
  const hers = await signsInAt(`http://127.0.0.1:${port}`, alice, world.url)
  for (const input of [{ transferId }, { transferId, leavesTor: 'false' }])
    expect(await hers.tries(callsApi.turn, input)).toBeRefused(403, 'transfer_leaves_tor')
  expect(await relayed(transferId)).toBe(false)
  expect(await hers.does(callsApi.turn, { transferId, leavesTor: 'true' })).toMatchObject({ hasRelay: true })
})

test('where there is no relay, nothing is counted', async () => {
  const none = await startWorld({ variables: { PUBLIC_URL: 'http://chat.example.org' } })
  const [alice, bob] = [await none.person('alice'), await none.person('bob')]
  const transferId = await runs(alice, bob, 100, none)
  expect(await alice.does(callsApi.turn, { transferId })).toEqual({ hasRelay: false, iceServers: [], expiresAt: null })
  expect(await none.sql('select relayed_at from transfers where id = $1', [transferId])).toEqual([{ relayed_at: null }])
  expect(await bob.tries(callsApi.turn, { transferId: randomUUID() })).toBeRefused(404, 'not_found')
})
