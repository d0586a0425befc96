import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import type { TransferEndReason } from '../../../contract/chat/transferframes.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { transfersApi } from '../../../contract/chat/transfers.ts'
import { bytes, opensLine, pairOnLine } from '../../testing/calling.ts'
import type { Person } from '../../testing/person.ts'
import { accepts, inTransfer, offers, rowOf } from '../../testing/transferring.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const MIB = TRANSFER_LIMITS.toldStepBytes
const DAY_SECONDS = 24 * 60 * 60

const contactIdOf = async (who: Person, other: Person) =>
  (await who.contacts()).find(({ contactUserId }) => contactUserId === other.id)?.id ?? ''
const listed = async (who: Pick<Person, 'does'>, transferId: string) =>
  (await who.does(transfersApi.list, {})).find((each) => each.transferId === transferId)
const ends = (who: Pick<Person, 'tries'>, transferId: string, reason: TransferEndReason) =>
  who.tries(transfersApi.end, { transferId, reason: reason as 'done' })
const runsJob = async () => {
  world.passes(60)
  await world.jobs.runDue()
}

async function locks(who: Person, other: Person): Promise<{ contactId: string; password: string }> {
  const [contactId, password] = [await contactIdOf(who, other), 'a chat password']
  await who.does(stepUpApi.confirm, { password: who.authSecret, kdf: 1 })
  await who.does(chatLocksApi.set, { contactId, password, confirmPassword: password })
  return { contactId, password }
}

test('Alice offers, Bob accepts, and the frames of both go between their two browsers alone', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const [hersToo, hisToo] = [await alice.addsBrowser(), await bob.addsBrowser()]
  const others = [await opensLine(hersToo, alice.id), await opensLine(hisToo, bob.id)]
  const transferId = await offers(alice, bob, 99)
  const offered = await listed(bob, transferId)
  expect(offered).toEqual({
    ...{ transferId, from: alice.id, to: bob.id, senderDevice: alice.deviceId, receiverDevice: null, attempt: 0, end: null },
    expiresAt: expect.any(String),
  })
  const leftMs = Date.parse(offered?.expiresAt ?? '') - world.env.clock().getTime()
  expect(Math.abs(leftMs - DAY_SECONDS * 1000)).toBeLessThan(10_000)
  const signal = bytes(32)
  his.sends('transfer-accept', { transferId, to: alice.id, attempt: 1, signal })
  expect((await his.hears('transfer-success')).data).toEqual({ transferId, isThere: true })
  const from = { from: bob.id, device: bob.deviceId }
  expect((await hers.hears('transfer-accept')).data).toEqual({ transferId, to: alice.id, attempt: 1, signal, ...from })
  for (const line of [hers, his, ...others])
    expect((await line.hears('transfer-changed')).data).toEqual({ transferId, device: bob.deviceId, end: null })
  const her = { from: alice.id, device: alice.deviceId }
  const answer = { transferId, to: bob.id, attempt: 1, signal: bytes(64) }
  hers.sends('transfer-answer', answer)
  expect((await his.hears('transfer-answer')).data).toEqual({ ...answer, ...her })
  const sent = { transferId, to: alice.id, attempt: 1, signal: bytes(2000) }
  his.sends('transfer-signal', sent)
  expect((await hers.hears('transfer-signal')).data).toEqual({ ...sent, ...from })
  hers.sends('transfer-signal', answer)
  expect((await his.hears('transfer-signal')).data).toEqual({ ...answer, ...her })
  for (const reason of ['epoch', 'again', 'failed'])
    for (const [line, other, to] of [
      [hers, his, bob.id],
      [his, hers, alice.id],
    ] as const) {
      line.sends('transfer-reject', { transferId, to, attempt: 1, reason })
      expect((await other.hears('transfer-reject')).data).toEqual({ transferId, to, attempt: 1, reason, from: line.userId })
    }
  hers.sends('transfer-here', { transferId, to: bob.id })
  expect((await his.hears('transfer-here')).data).toEqual({ transferId, to: bob.id, from: alice.id })
  for (const line of others) {
    await line.settles()
    expect(line.news().map(({ type }) => type)).toEqual(['transfer-changed'])
  }
  expect(await ends(bob, transferId, 'done')).toMatchObject({ status: 200 })
  for (const line of [hers, his, ...others])
    expect((await line.hears('transfer-changed')).data).toEqual({ transferId, device: bob.deviceId, end: 'done' })
  expect(await listed(hersToo, transferId)).toMatchObject({ end: 'done', receiverDevice: bob.deviceId, attempt: 1 })
})

test('an offer that is registered twice is one, and nobody is told or rung', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const offer = { transferId: randomUUID(), to: bob.id, bytes: 2 * MIB }
  for (let twice = 0; twice < 2; twice++) await alice.does(transfersApi.offer, offer)
  await Promise.all([1, 2, 3].map(() => alice.does(transfersApi.offer, offer)))
  expect(await alice.tries(transfersApi.offer, { ...offer, bytes: MIB })).toBeRefused(409, 'transfer_over')
  expect(await (await alice.addsBrowser()).tries(transfersApi.offer, offer)).toBeRefused(409, 'transfer_over')
  await ends(alice, offer.transferId, 'cancelled')
  // Its message was sent once more.
  await alice.does(transfersApi.offer, offer)
  expect(await listed(bob, offer.transferId)).toMatchObject({ end: 'cancelled' })
  await Promise.all([hers, his].map((line) => line.settles()))
  expect(his.news().map(({ type }) => type)).toEqual(['transfer-changed'])
  for (const bad of [0, MIB / 2, MIB + 1, 101 * MIB])
    expect(await alice.tries(transfersApi.offer, { ...offer, transferId: randomUUID(), bytes: bad })).toBeRefused(400)
})

test('the first browser of Bob that accepts has the file, also of two at once', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const phone = await opensLine(await bob.addsBrowser(), bob.id)
  const transferId = await offers(alice, bob)
  await world.env.db.transaction(async (tx) => {
    await tx.execute(`select from transfers where id = '${transferId}' for update`)
    for (const line of [his, phone]) accepts(line, transferId, alice.id)
    await world.lockWaits(2)
  })
  await Promise.all([his, phone].map((line) => line.settles()))
  const answers = [his, phone].map((line) => line.news().filter(({ type }) => type !== 'transfer-changed'))
  expect(answers.map(([frame]) => frame?.type).sort()).toEqual(['refused', 'transfer-success'])
  expect(answers.flat().find(({ type }) => type === 'refused')?.data).toMatchObject({
    code: 'transfer_elsewhere',
    id: transferId,
  })
  await hers.settles()
  expect(hers.news().filter(({ type }) => type === 'transfer-accept')).toHaveLength(1)
})

test('a browser that comes back with another session of the same device goes on, and its attempts grow', async () => {
  const { alice, bob, hers, his, transferId } = await inTransfer(world)
  hers.hangsUp()
  await hers.closed
  accepts(his, transferId, alice.id, 2)
  expect((await his.hears('transfer-success')).data).toEqual({ transferId, isThere: false })
  await alice.returns()
  const again = await opensLine(alice, alice.id)
  again.sends('transfer-here', { transferId, to: bob.id })
  await his.hears('transfer-here')
  accepts(his, transferId, alice.id, 3)
  expect((await his.hears('transfer-success')).data.isThere).toBe(true)
  expect((await again.hears('transfer-accept')).data.attempt).toBe(3)
  // Of older attempts nothing is taken.
  for (const attempt of [1, 2, 3]) accepts(his, transferId, alice.id, attempt)
  again.sends('transfer-answer', { transferId, to: bob.id, attempt: 2, signal: bytes(64) })
  again.sends('transfer-signal', { transferId, to: bob.id, attempt: 4, signal: bytes(64) })
  again.sends('transfer-reject', { transferId, to: bob.id, attempt: 2, reason: 'again' })
  for (const line of [again, his]) await line.settles()
  expect(again.news().filter(({ type }) => type === 'transfer-accept')).toHaveLength(1)
  expect(his.news().filter(({ type }) => /answer|signal|reject|refused/.test(type))).toEqual([])
  expect(await listed(bob, transferId)).toMatchObject({ attempt: 3 })
  // An answer may be given twice, where the epoch has moved.
  for (let twice = 0; twice < 2; twice++) {
    again.sends('transfer-answer', { transferId, to: bob.id, attempt: 3, signal: bytes(64) })
    await his.hears('transfer-answer')
  }
})

test('a socket that waits for rings alone is not there', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const transferId = await offers(alice, bob)
  hers.hangsUp()
  await hers.closed
  await opensLine(alice, alice.id, '/ws?rings')
  accepts(his, transferId, alice.id)
  expect((await his.hears('transfer-success')).data.isThere).toBe(false)
})

test('each end is said by who may say it, once, and harmlessly twice', async () => {
  const says: [TransferEndReason, 'alice' | 'bob' | 'both'][] = [
    ...([['declined', 'bob'] as const, ['cancelled', 'both'] as const] satisfies [TransferEndReason, string][]),
    ...([['done', 'bob'] as const, ['forged', 'bob'] as const, ['changed', 'alice'] as const] satisfies [
      TransferEndReason,
      string,
    ][]),
  ]
  const { alice, bob, hers, his } = await pairOnLine(world)
  for (const [reason, by] of says)
    for (const [name, who] of [['alice', alice] as const, ['bob', bob] as const]) {
      const transferId = await offers(alice, bob)
      accepts(his, transferId, alice.id)
      await his.hears('transfer-success')
      const may = by === 'both' || by === name
      const answer = await ends(who, transferId, reason)
      expect([reason, name, answer.status]).toEqual([reason, name, may ? 200 : 400])
      expect(await rowOf(world, transferId)).toMatchObject({ end_reason: may ? reason : null })
      if (!may) continue
      for (const line of [hers, his])
        expect(
          (await line.hears('transfer-changed', ({ data }) => data.transferId === transferId && data.end !== null)).data.end,
        ).toBe(reason)
      // What was said first holds, and nobody hears of it again.
      for (const line of [hers, his]) {
        await line.settles()
        line.news()
      }
      expect(await ends(who, transferId, reason)).toMatchObject({ status: 200 })
      expect(await ends(alice, transferId, 'cancelled')).toMatchObject({ status: 200 })
      expect(await rowOf(world, transferId)).toMatchObject({ end_reason: reason })
      for (const line of [hers, his]) {
        await line.settles()
        expect(line.news()).toEqual([])
      }
      accepts(his, transferId, alice.id, 2)
      expect((await his.hears('refused')).data).toMatchObject({ code: 'transfer_over', id: transferId })
    }
  const waiting = await offers(alice, bob)
  for (const reason of ['done', 'forged'] as const) expect(await ends(bob, waiting, reason)).toBeRefused(400, 'invalid_input')
  for (const reason of ['expired', 'removed'] as const) expect(await ends(alice, waiting, reason)).toBeRefused(400)
})

test('another browser declines and cancels for its person, and says of the file itself nothing', async () => {
  const { alice, bob, transferId } = await inTransfer(world)
  const [hersToo, hisToo] = [await alice.addsBrowser(), await bob.addsBrowser()]
  for (const reason of ['done', 'forged'] as const)
    expect(await ends(hisToo, transferId, reason)).toBeRefused(409, 'transfer_elsewhere')
  expect(await ends(hersToo, transferId, 'changed')).toBeRefused(400, 'invalid_input')
  expect(await ends(hersToo, transferId, 'cancelled')).toMatchObject({ status: 200 })
  const other = await offers(alice, bob)
  expect(await ends(hisToo, other, 'declined')).toMatchObject({ status: 200 })
})

test('after 24 hours an offer has expired, for the list and the frames at once, and the job says so to both; a day later its row is gone', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const transferId = await offers(alice, bob)
  world.passes(DAY_SECONDS - 60)
  await Promise.all([alice, bob].map((who) => who.returns()))
  const [hersNow, hisNow] = [await opensLine(alice, alice.id), await opensLine(bob, bob.id)]
  accepts(hisNow, transferId, alice.id)
  await hisNow.hears('transfer-success')
  world.passes(60)
  expect(await listed(bob, transferId)).toMatchObject({ end: 'expired' })
  accepts(hisNow, transferId, alice.id, 2)
  hersNow.sends('transfer-here', { transferId, to: bob.id })
  for (const line of [hersNow, hisNow]) expect((await line.hears('refused')).data.code).toBe('transfer_over')
  expect(await ends(bob, transferId, 'done')).toMatchObject({ status: 200 })
  expect(await rowOf(world, transferId)).toMatchObject({ end_reason: null })
  await runsJob()
  for (const line of [hersNow, hisNow])
    expect((await line.hears('transfer-changed', ({ data }) => data.end !== null)).data).toMatchObject({
      transferId,
      end: 'expired',
    })
  world.passes(DAY_SECONDS - 120)
  await runsJob()
  expect(await rowOf(world, transferId)).toMatchObject({ end_reason: 'expired' })
  await runsJob()
  expect(await rowOf(world, transferId)).toBeUndefined()
  for (const line of [hers, his]) line.hangsUp()
})

test('a transfer ends when the browser that has the file is removed or signed out for good, and the other side is told', async () => {
  for (const leaves of ['is removed', 'signs out for good']) {
    const { alice, bob, his } = await pairOnLine(world)
    const laptop = await alice.addsBrowser()
    const hers = await opensLine(alice, alice.id)
    const [transferId, other] = [await offers(laptop, bob), await offers(alice, bob)]
    accepts(his, transferId, alice.id)
    await his.hears('transfer-success')
    if (leaves === 'is removed') await alice.changesKeys({ removes: [laptop.deviceId] })
    else await laptop.does(accountApi.logout, { removeKeys: true })
    expect(await listed(bob, transferId)).toMatchObject({ senderDevice: null, end: 'removed' })
    accepts(his, transferId, alice.id, 2)
    expect((await his.hears('refused')).data.code).toBe('transfer_over')
    await runsJob()
    for (const line of [hers, his])
      expect((await line.hears('transfer-changed', ({ data }) => data.end !== null)).data).toMatchObject({
        transferId,
        end: 'removed',
      })
    expect(await rowOf(world, transferId)).toMatchObject({ end_reason: 'removed' })
    expect(await rowOf(world, other)).toMatchObject({ end_reason: null })
  }
})

test('a browser that only signs out keeps its offers, and one that accepted and is removed leaves the file to another', async () => {
  const { alice, bob, his } = await pairOnLine(world)
  const phone = await bob.addsBrowser()
  const transferId = await offers(alice, bob)
  await alice.does(accountApi.logout, {})
  await runsJob()
  const line = await opensLine(phone, bob.id)
  accepts(line, transferId, alice.id)
  expect((await line.hears('transfer-success')).data.isThere).toBe(false)
  await bob.changesKeys({ removes: [phone.deviceId] })
  expect(await listed(bob, transferId)).toMatchObject({ receiverDevice: null, attempt: 1, end: null })
  accepts(his, transferId, alice.id, 2)
  expect((await his.hears('transfer-success')).data.transferId).toBe(transferId)
  expect(await listed(bob, transferId)).toMatchObject({ receiverDevice: bob.deviceId, attempt: 2 })
})

test('a deleted account ends its transfers, the other person is told, and no row names its browser', async () => {
  const { alice, bob, hers, his } = await pairOnLine(world)
  const carol = await world.person('carol')
  await carol.talksTo(bob)
  const [toBob, fromBob, running, kept] = [
    await offers(alice, bob),
    await offers(bob, alice),
    await offers(alice, bob),
    await offers(carol, bob),
  ]
  accepts(his, running, alice.id)
  await his.hears('transfer-success')
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  for (const transferId of [toBob, fromBob, running]) {
    const told = await his.hears('transfer-changed', ({ data }) => data.transferId === transferId && data.end !== null)
    expect(told.data.end).toBe('removed')
    expect(await listed(bob, transferId)).toMatchObject({ end: 'removed' })
  }
  expect(await rowOf(world, kept)).toMatchObject({ end_reason: null })
  expect(await world.sql('select from transfers where $1 in (sender_device, receiver_device)', [alice.deviceId])).toEqual([])
  expect(await bob.tries(transfersApi.offer, { transferId: randomUUID(), to: alice.id, bytes: MIB })).toBeRefused(403)
  hers.hangsUp()
})

test('an offer that waits for the deletion of either account registers nothing', async () => {
  for (const gone of ['sender', 'receiver']) {
    const { alice, bob } = await pairOnLine(world)
    const [transferId, deleted] = [randomUUID(), gone === 'sender' ? alice : bob]
    let offering: Promise<unknown> | undefined
    await world.env.db.transaction(async (tx) => {
      await tx.execute(
        `update users set deleted_at = now(), is_active = false, username = 'gone_' || left(id::text, 8) where id = '${deleted.id}'`,
      )
      await tx.execute(`select from users where id = '${deleted.id}' for update`)
      await tx.execute(`delete from contacts where user_id = '${deleted.id}'`)
      offering = alice.tries(transfersApi.offer, { transferId, to: bob.id, bytes: MIB })
      await world.lockWaits()
    })
    expect(await offering).toMatchObject({ status: gone === 'sender' ? 401 : 403 })
    expect(await rowOf(world, transferId)).toBeUndefined()
  }
})

test('a browser that is removed while it offers or accepts keeps neither', async () => {
  const { alice, bob, his } = await pairOnLine(world)
  const laptop = await alice.addsBrowser()
  const [transferId, phone] = [randomUUID(), await bob.addsBrowser()]
  const [line, waiting] = [await opensLine(phone, bob.id), await offers(alice, bob)]
  let offering: Promise<unknown> | undefined
  await world.env.db.transaction(async (tx) => {
    await tx.execute(`delete from devices where id in ('${laptop.deviceId}', '${phone.deviceId}')`)
    offering = laptop.tries(transfersApi.offer, { transferId, to: bob.id, bytes: MIB })
    accepts(line, waiting, alice.id)
    await world.lockWaits(2)
  })
  expect(await offering).toBeRefused(403, 'device_required')
  expect((await line.hears('refused')).data).toMatchObject({ code: 'device_required', id: waiting })
  expect(await rowOf(world, transferId)).toBeUndefined()
  expect(await rowOf(world, waiting)).toMatchObject({ receiver_device: null })
  his.hangsUp()
})

test('fifty offers wait at once, also of many that come together, and an end makes room', async () => {
  const { alice, bob } = await pairOnLine(world)
  const ids = await Promise.all(Array.from({ length: TRANSFER_LIMITS.liveMax - 1 }, () => offers(alice, bob)))
  const more = await Promise.all(
    [1, 2, 3].map(() => alice.tries(transfersApi.offer, { transferId: randomUUID(), to: bob.id, bytes: MIB })),
  )
  expect(more.map(({ status }) => status).sort()).toEqual([200, 429, 429])
  await ends(alice, ids[0] ?? '', 'cancelled')
  await offers(alice, bob)
  expect(await bob.does(transfersApi.list, {})).toHaveLength(TRANSFER_LIMITS.liveMax + 1)
})

test('a locked chat offers nothing and begins no attempt on either side, and what runs goes on', async () => {
  const { alice, bob, hers, his, transferId } = await inTransfer(world)
  const hersToo = await opensLine(alice, alice.id)
  const [hersLock, hisLock] = [await locks(alice, bob), await locks(bob, alice)]
  for (const [who, lock] of [
    [alice, hersLock],
    [bob, hisLock],
  ] as const)
    await who.does(chatLocksApi.lock, { contactId: lock.contactId })
  expect(await alice.tries(transfersApi.offer, { transferId: randomUUID(), to: bob.id, bytes: MIB })).toBeRefused(
    403,
    'chat_locked',
  )
  accepts(his, transferId, alice.id, 2)
  expect((await his.hears('refused')).data).toMatchObject({ code: 'chat_locked', id: transferId })
  hers.sends('transfer-answer', { transferId, to: bob.id, attempt: 1, signal: bytes(64) })
  expect((await hers.hears('refused')).data).toMatchObject({ code: 'chat_locked', id: transferId })
  hers.sends('transfer-signal', { transferId, to: bob.id, attempt: 1, signal: bytes(64) })
  await his.hears('transfer-signal')
  his.sends('transfer-reject', { transferId, to: alice.id, attempt: 1, reason: 'again' })
  await hers.hears('transfer-reject')
  await bob.does(chatLocksApi.verify, hisLock)
  accepts(his, transferId, alice.id, 2)
  await hers.hears('transfer-accept', ({ data }) => data.attempt === 2)
  await alice.does(chatLocksApi.verify, hersLock)
  hers.sends('transfer-answer', { transferId, to: bob.id, attempt: 2, signal: bytes(64) })
  await his.hears('transfer-answer')
  hersToo.hangsUp()
})

test('who has blocked the other offers nothing and accepts nothing, by name, and frames that run are refused by name', async () => {
  const { alice, bob, hers, his, transferId } = await inTransfer(world)
  const waiting = await offers(alice, bob)
  await bob.does(contactsApi.block, { contactId: await contactIdOf(bob, alice) })
  accepts(his, waiting, alice.id)
  expect((await his.hears('refused')).data).toMatchObject({ code: 'not_a_contact', id: waiting })
  his.sends('transfer-signal', { transferId, to: alice.id, attempt: 1, signal: bytes(64) })
  expect((await his.hears('refused')).data).toMatchObject({ code: 'not_a_contact', id: transferId })
  expect(await bob.tries(transfersApi.offer, { transferId: randomUUID(), to: alice.id, bytes: MIB })).toBeRefused(
    403,
    'not_a_contact',
  )
  // Bob is not told of what he has not accepted, nor of what Alice does.
  expect(await listed(bob, waiting)).toBeUndefined()
  expect(await listed(bob, transferId)).toMatchObject({ end: null })
  await Promise.all([hers, his].map((line) => line.settles()))
  his.news()
  await ends(alice, waiting, 'cancelled')
  hers.sends('transfer-answer', { transferId, to: bob.id, attempt: 1, signal: bytes(64) })
  hers.sends('transfer-here', { transferId, to: bob.id })
  for (const line of [hers, his]) await line.settles()
  expect(his.news()).toEqual([])
  expect(hers.news().filter(({ type }) => type === 'refused')).toEqual([])
})
