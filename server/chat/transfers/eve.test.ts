import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { transfersApi } from '../../../contract/chat/transfers.ts'
import { clientFrame, FRAME_RATES } from '../../../contract/frames.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import type { Listener } from '../../settings/config.ts'
import type { Browser } from '../../testing/browser.ts'
import { signsInAt } from '../../testing/byonion.ts'
import { bytes, type Caller, opensLine, pairOnLine } from '../../testing/calling.ts'
import type { Person } from '../../testing/person.ts'
import { accepts, inTransfer, offers, rowOf } from '../../testing/transferring.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const MIB = TRANSFER_LIMITS.toldStepBytes
const REASONS = ['declined', 'cancelled', 'done', 'changed', 'forged'] as const

/** Every frame that names a transfer, as somebody says it to one of two people. */
const everyFrame = (transferId: string, to: string, attempt = 1) =>
  [
    ['transfer-accept', { transferId, to, attempt: attempt + 1, signal: bytes(32) }],
    ['transfer-answer', { transferId, to, attempt, signal: bytes(64) }],
    ['transfer-signal', { transferId, to, attempt, signal: bytes(64) }],
    ...['epoch', 'again', 'failed'].map(
      (reason) => ['transfer-reject', { transferId, to, attempt, reason }] satisfies [string, unknown],
    ),
    ['transfer-here', { transferId, to }],
  ] satisfies [string, Record<string, unknown>][]

/** Says each of them by a socket of its own, and returns how each was refused. */
async function says(who: Browser, userId: string, transferId: string, to: string): Promise<[string, string][]> {
  const refused: [string, string][] = []
  for (const [type, data] of everyFrame(transferId, to)) {
    const line = await opensLine(who, userId)
    line.sends(type, data)
    await line.settles()
    const [answer] = line.news()
    refused.push([type, answer?.type === 'refused' && answer.data.id === transferId ? answer.data.code : `${answer?.type}`])
    line.hangsUp()
  }
  return refused
}

async function hearsNothing(lines: Caller[]): Promise<void> {
  for (const line of lines) {
    await line.settles()
    expect(line.news()).toEqual([])
  }
}

test('Eve names a transfer of others, offered or accepted: each frame and each end is refused as for one that never was, and nobody hears', async () => {
  const { alice, bob, hers, his, transferId } = await inTransfer(world)
  const eve = await world.person('eve')
  for (const friend of [alice, bob]) await eve.talksTo(friend)
  const waiting = await offers(alice, bob)
  for (const id of [transferId, waiting, randomUUID()]) {
    const before = await rowOf(world, id)
    for (const other of [alice, bob])
      for (const [type, code] of await says(eve, eve.id, id, other.id)) expect([type, code]).toEqual([type, 'transfer_over'])
    for (const reason of REASONS)
      expect(await eve.tries(transfersApi.end, { transferId: id, reason })).toBeRefused(404, 'not_found')
    expect(await rowOf(world, id)).toEqual(before)
  }
  await hearsNothing([hers, his])
  expect(await eve.does(transfersApi.list, {})).toEqual([])
})

test('another browser of either speaks for no transfer', async () => {
  const { alice, bob, hers, his, transferId } = await inTransfer(world)
  const [hersToo, hisToo] = [await alice.addsBrowser(), await bob.addsBrowser()]
  const before = await rowOf(world, transferId)
  for (const [type, code] of await says(hersToo, alice.id, transferId, bob.id))
    expect([type, code]).toEqual([type, 'transfer_over'])
  for (const [type, code] of await says(hisToo, bob.id, transferId, alice.id))
    expect([type, code]).toEqual([type, 'transfer_elsewhere'])
  expect(await rowOf(world, transferId)).toEqual(before)
  await hearsNothing([hers, his])
  // Nor does the sender accept, or the receiver answer.
  for (const [line, type, to] of [
    [hers, 'transfer-accept', bob.id],
    [his, 'transfer-answer', alice.id],
    [his, 'transfer-here', alice.id],
  ] as const) {
    line.sends(type, { transferId, to, attempt: 2, signal: bytes(32) })
    expect((await line.hears('refused')).data).toMatchObject({ code: 'transfer_over', id: transferId })
  }
})

test('nobody says who or which device a frame is from', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const eve = await world.person('eve')
  const forged = { from: eve.id, device: eve.deviceId }
  const transferId = await offers(alice, bob)
  his.sends('transfer-accept', { transferId, to: alice.id, attempt: 1, signal: bytes(32), ...forged })
  expect((await hers.hears('transfer-accept')).data).toMatchObject({ from: bob.id, device: bob.deviceId })
  for (const type of ['transfer-answer', 'transfer-signal'] as const) {
    hers.sends(type, { transferId, to: bob.id, attempt: 1, signal: bytes(64), ...forged })
    expect((await his.hears(type)).data).toMatchObject({ from: alice.id, device: alice.deviceId })
  }
  hers.sends('transfer-here', { transferId, to: bob.id, ...forged })
  expect((await his.hears('transfer-here')).data).toEqual({ transferId, to: bob.id, from: alice.id })
})

test('a stranger, an open request, one that was declined and one that is blocked offer nobody a file, and who has blocked is told so by name', async () => {
  const people = await Promise.all(['alice', 'stranger', 'asking', 'declined', 'blocked'].map((name) => world.person(name)))
  const [alice, stranger, asking, declined, blocked] = people as [Person, Person, Person, Person, Person]
  for (const each of [asking, declined]) await each.adds(alice)
  const contactOf = async (who: Person) =>
    (await alice.contacts()).find(({ contactUserId }) => contactUserId === who.id)?.id ?? ''
  await alice.does(contactsApi.decline, { contactId: await contactOf(declined) })
  await blocked.talksTo(alice)
  await alice.does(contactsApi.block, { contactId: await contactOf(blocked) })
  const hers = await opensLine(alice, alice.id)
  const tries = (who: Person, to: Person) => who.tries(transfersApi.offer, { transferId: randomUUID(), to: to.id, bytes: MIB })
  const inVain = [
    [stranger, alice],
    [asking, alice],
    [declined, alice],
    [alice, asking],
    [alice, blocked],
    [alice, stranger],
    [stranger, stranger],
  ] as const
  for (const [who, to] of inVain) expect(await tries(who, to)).toBeRefused(403, 'not_a_contact')
  expect(await stranger.tries(transfersApi.offer, { transferId: randomUUID(), to: randomUUID(), bytes: MIB })).toBeRefused(
    403,
    'not_a_contact',
  )
  const transferId = await offers(blocked, alice)
  await hearsNothing([hers])
  expect(await alice.does(transfersApi.list, {})).toEqual([])
  accepts(hers, transferId, blocked.id)
  expect((await hers.hears('refused')).data.code).toBe('not_a_contact')
})

test('a free account cannot offer a file, and receives those of others', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world, 'premium', 'free')
  expect(await bob.tries(transfersApi.offer, { transferId: randomUUID(), to: alice.id, bytes: MIB })).toBeRefused(
    403,
    'subscription_required',
  )
  const transferId = await offers(alice, bob)
  accepts(his, transferId, alice.id)
  await hers.hears('transfer-accept')
  await bob.does(transfersApi.end, { transferId, reason: 'done' })
})

test('Eve takes the id of an offer of Alice, also at once, and has none of it', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const eve = await world.person('eve')
  await eve.talksTo(bob)
  const transferId = await offers(alice, bob)
  const before = await rowOf(world, transferId)
  for (const bytesTold of [MIB, 2 * MIB])
    expect(await eve.tries(transfersApi.offer, { transferId, to: bob.id, bytes: bytesTold })).toBeRefused(409, 'transfer_over')
  expect(await rowOf(world, transferId)).toEqual(before)
  const other = randomUUID()
  let offering: Promise<unknown> | undefined
  await world.env.db.transaction(async (tx) => {
    await tx.execute(`insert into transfers (id, sender_id, receiver_id, sender_device, bytes, created_at)
      values ('${other}', '${alice.id}', '${bob.id}', '${alice.deviceId}', ${MIB}, now())`)
    offering = eve.tries(transfersApi.offer, { transferId: other, to: bob.id, bytes: MIB })
    await world.lockWaits()
  })
  expect(await offering).toBeRefused(409, 'transfer_over')
  expect(await rowOf(world, other)).toMatchObject({ sender_id: alice.id })
  await hearsNothing([hers, his])
})

test('a sleeping session speaks for no transfer', async () => {
  const { alice, bob, hers, his, transferId } = await inTransfer(world)
  for (const who of [alice, bob])
    await world.sql("update sessions set proven_at = now() - interval '2 days' where user_id = $1", [who.id])
  for (const [line, to] of [
    [hers, bob.id],
    [his, alice.id],
  ] as const)
    for (const [type, data] of everyFrame(transferId, to)) {
      line.sends(type, data)
      expect([type, (await line.hears('refused')).data]).toMatchObject([type, { code: 'device_required', id: transferId }])
    }
})

test('frames that do not fit are refused by the transfer’s id, and floods by each type’s own rate', async () => {
  const { alice, bob, hers, his, transferId } = await inTransfer(world)
  const one = { transferId, to: bob.id, attempt: 1 }
  const bad: [string, unknown][] = [
    ['transfer-accept', { ...one, signal: bytes(33) }],
    ['transfer-accept', { ...one, attempt: 0, signal: bytes(32) }],
    ['transfer-accept', { ...one, attempt: TRANSFER_LIMITS.attemptsMax + 1, signal: bytes(32) }],
    ['transfer-answer', { ...one, signal: bytes(TRANSFER_LIMITS.answerBytes + 3) }],
    ['transfer-signal', { ...one, signal: bytes(TRANSFER_LIMITS.signalBytes + 3) }],
    ['transfer-signal', { ...one, signal: 'no base64' }],
    ['transfer-reject', { ...one, reason: 'declined' }],
    ['transfer-here', { transferId, to: 7 }],
  ]
  const doesNotFit = ([type, data]: [string, unknown]) => !clientFrame.safeParse({ type, data }).success
  // Whatever stands in a field, the process goes on.
  const odd = [null, -1, 1.5, 2 ** 53, '', 'x', '\u0000', [], {}, true, 'a'.repeat(5000)]
  for (const [type, data] of everyFrame(transferId, bob.id))
    for (const field of Object.keys(data)) {
      if (field === 'transferId') continue
      bad.push(...odd.map((value): [string, unknown] => [type, { ...data, [field]: value }]).filter(doesNotFit))
    }
  for (const [type, data] of bad) {
    const line = await opensLine(alice, alice.id)
    line.says({ type, data })
    expect([type, data, (await line.hears('refused')).data.code]).toEqual([
      type,
      data,
      expect.stringMatching(/^(malformed_frame|invalid_input)$/),
    ])
    line.hangsUp()
  }
  his.news()
  await hearsNothing([his])
  const many = FRAME_RATES['transfer-signal'].points * 2 + 1
  for (let count = 0; count < many; count++) hers.sends('transfer-signal', { ...one, signal: bytes(64) })
  expect((await hers.hears('refused')).data).toMatchObject({ code: 'too_many_requests', id: transferId })
  hers.sends('transfer-here', { transferId, to: bob.id })
  await his.hears('transfer-here')
})

test('by an onion service nobody accepts and nobody answers, unless they let this transfer leave Tor', async () => {
  const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [world.url] }
  const port = await world.opens(onion)
  const by = (who: Person) => signsInAt(`http://127.0.0.1:${port}`, who, world.url)
  const { alice, bob } = await pairOnLine(world)
  const transferId = await offers(alice, bob)
  const [hers, his] = [await opensLine(await by(alice), alice.id), await opensLine(await by(bob), bob.id)]
  const accept = { transferId, to: alice.id, attempt: 1, signal: bytes(32) }
  for (const more of [{}, { leavesTor: false }]) {
    his.sends('transfer-accept', { ...accept, ...more })
    expect((await his.hears('refused')).data).toMatchObject({ code: 'transfer_leaves_tor', id: transferId })
  }
  expect(await rowOf(world, transferId)).toMatchObject({ receiver_device: null, attempt: 0 })
  his.sends('transfer-accept', { ...accept, leavesTor: true })
  await hers.hears('transfer-accept')
  const answer = { transferId, to: bob.id, attempt: 1, signal: bytes(64) }
  hers.sends('transfer-answer', answer)
  expect((await hers.hears('refused')).data).toMatchObject({ code: 'transfer_leaves_tor', id: transferId })
  hers.sends('transfer-answer', { ...answer, leavesTor: true })
  await his.hears('transfer-answer')
})

test('who offers all day is told to wait', async () => {
  const strict = await startWorld({ hasLimits: true })
  const [eve, alice] = [await strict.person('eve'), await strict.person('alice')]
  await eve.talksTo(alice)
  const transferId = await offers(eve, alice)
  await strict.env.limits.take('transfers', eve.id, RATES.transfers.points).catch(() => undefined)
  expect(await eve.tries(transfersApi.offer, { transferId: randomUUID(), to: alice.id, bytes: MIB })).toBeRefused(
    429,
    'too_many_requests',
  )
  expect(await eve.tries(transfersApi.end, { transferId, reason: 'cancelled' })).toBeRefused(429, 'too_many_requests')
})
