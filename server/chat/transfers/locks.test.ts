import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { transfersApi } from '../../../contract/chat/transfers.ts'
import { pairOnLine } from '../../testing/calling.ts'
import { offers, rowOf } from '../../testing/transferring.ts'
import { startWorld } from '../../testing/world.ts'
import { acceptTransfer } from './store.ts'
import { deleteOver } from './store-ends.ts'

const world = await startWorld()

test('an account is deleted while one of its browsers accepts: the deletion comes first, without a deadlock', async () => {
  const { alice, bob } = await pairOnLine(world)
  const [first, last] = ['00000000', 'ffffffff'].map((head) => head + randomUUID().slice(8)) as [string, string]
  for (const transferId of [first, last])
    await alice.does(transfersApi.offer, { transferId, to: bob.id, bytes: TRANSFER_LIMITS.toldStepBytes })
  const his = { userId: bob.id, session: Buffer.alloc(32), device: bob.deviceId }
  const answers: Promise<unknown>[] = []
  await world.env.db.transaction(async (tx) => {
    await tx.execute(`select from transfers where id = '${last}' for update`)
    answers.push(bob.tries(accountApi.remove, { password: bob.authSecret, kdf: 1 }))
    await world.lockWaits(1)
    answers.push(acceptTransfer(world.env.db, his, { transferId: first, to: alice.id, attempt: 1 }, world.env.clock()))
    await world.lockWaits(2)
  })
  const [deleted, accepted] = await Promise.all(answers)
  expect([deleted, accepted]).toMatchObject([{ status: 200 }, { verdict: 'device_required' }])
  expect(await rowOf(world, first)).toMatchObject({ end_reason: 'removed', receiver_device: null })
})

test('the job that deletes what is over waits for nobody', async () => {
  const { alice, bob } = await pairOnLine(world)
  const [held, free] = [await offers(alice, bob), await offers(alice, bob)]
  for (const transferId of [held, free]) await alice.does(transfersApi.end, { transferId, reason: 'cancelled' })
  const dayLater = new Date(world.env.clock().getTime() + 24 * 60 * 60 * 1000)
  await world.env.db.transaction(async (tx) => {
    await tx.execute(`select from transfers where id = '${held}' for no key update`)
    await world.env.db.transaction(async (job) => {
      await job.execute("set local lock_timeout = '5s'")
      expect(await deleteOver(job, dayLater, 500)).toBeGreaterThan(0)
    })
  })
  expect(await rowOf(world, held)).toBeDefined()
  expect(await rowOf(world, free)).toBeUndefined()
})
