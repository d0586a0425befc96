import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { REPORT_LIMITS } from '../../../contract/chat/reportlimits.ts'
import { reportsApi } from '../../../contract/chat/reports.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })

async function pair() {
  const [alice, eve] = await Promise.all([world.person('alice'), world.person('eve')])
  const chatRoomId = await alice.talksTo(eve)
  const contactId = (await alice.contacts())[0]?.id ?? ''
  return { alice, eve, chatRoomId, contactId }
}

const report = (contactId: string, more = {}) => ({
  contactId,
  id: randomUUID(),
  category: 'threat',
  text: '',
  messages: [],
  ...more,
})
const storedOf = (column: string, id: string) => world.sql(`select * from reports where ${column} = $1`, [id])

test('a report keeps what its reporter chose to say and to show, once, and nobody else hears of it', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  await eve.says(chatRoomId, 'I know where you live')
  const socket = await eve.opensSocket()
  const sent = report(contactId, { text: 'He frightens me', messages: [{ seq: 1, text: 'I know where' }] })
  for (let twice = 0; twice < 2; twice++) expect((await alice.tries(reportsApi.send, sent)).status).toBe(200)
  expect(await storedOf('reporter_id', alice.id)).toMatchObject([
    {
      ...{ id: sent.id, reported_id: eve.id, chat_room_id: chatRoomId, category: 'threat', text: 'He frightens me' },
      messages: [{ seq: 1, text: 'I know where' }],
    },
  ])
  socket.says({ type: 'ping', data: {} })
  await socket.hears('pong')
  expect(socket.frames.map(({ type }) => type)).toEqual(['hello', 'pong'])
  socket.hangsUp()
})

test('Eve reports nobody by the contact of others, no message that the person did not send, and no more than fits', async () => {
  const { alice, eve, chatRoomId, contactId } = await pair()
  await alice.says(chatRoomId, 'mine')
  expect(await eve.tries(reportsApi.send, report(contactId))).toBeRefused(404, 'not_found')
  const wrong = [
    { messages: [{ seq: 1, text: 'mine' }] },
    { messages: [{ seq: 2, text: 'invented' }] },
    { text: 'x'.repeat(REPORT_LIMITS.reportTextMax + 1) },
    { category: 'because' },
    { messages: Array.from({ length: REPORT_LIMITS.reportedMessagesMax + 1 }, (_, seq) => ({ seq, text: '' })) },
  ]
  for (const more of wrong) expect(await alice.tries(reportsApi.send, report(contactId, more))).toBeRefused(400, 'invalid_input')
  expect(await storedOf('chat_room_id', chatRoomId)).toEqual([])
})

test('the eleventh report of a day waits for the next, whomever it is of', async () => {
  const { alice, contactId } = await pair()
  for (let count = 0; count < 10; count++) await alice.tries(reportsApi.send, report(contactId))
  expect(await alice.tries(reportsApi.send, report(contactId))).toBeRefused(429, 'too_many_requests')
  expect(await storedOf('reporter_id', alice.id)).toHaveLength(10)
  world.passes(24 * 60 * 60)
  expect((await alice.tries(reportsApi.send, report(contactId))).status).toBe(200)
})

test('of an account that is deleted no report is kept, and of the others each goes after a year', async () => {
  const [one, two] = [await pair(), await pair()]
  for (const { alice, contactId } of [one, two]) await alice.does(reportsApi.send, { ...report(contactId), category: 'spam' })
  await one.alice.does(accountApi.remove, { password: one.alice.authSecret, kdf: 1 })
  expect(await storedOf('reporter_id', one.alice.id)).toEqual([])
  const keptAfter = async (days: number) => {
    world.passes(days * 24 * 60 * 60)
    await world.jobs.runDue()
    return (await storedOf('reporter_id', two.alice.id)).length
  }
  expect([await keptAfter(364), await keptAfter(2)]).toEqual([1, 0])
})
