import { paymentsApi } from '../contract/money/payments.ts'
import { newPerson } from '../server/testing/person.ts'
import { type Ground, inDatabase } from './ground.ts'
import { median } from './numbers.ts'
import { loopMsOf, pause, startProduct } from './program.ts'
import { type Row, row } from './row.ts'

const LOOP_MS = 20
/** What the sandbox tells of a payment: subscription, invoice and checkout. */
const EVENTS = 3
const SETTLE_MS = 50

/** What a webhook costs the server's event loop: a purchase in the sandbox, whose own work is in it. */
export async function measureWebhooks(ground: Ground): Promise<Row[]> {
  const databaseUrl = await ground.freshDatabase()
  const server = await startProduct(databaseUrl, { LOG_LEVEL: 'silent', RATE_LIMITS: 'off' })
  const url = `http://127.0.0.1:${server.port}`
  const costs: number[] = []
  const [warmups, rounds] = ground.isQuick ? [1, 1] : [5, 15]
  for (let round = 0; round < warmups + rounds; round++) {
    const who = await newPerson(url, `payer_${round}`, url)
    const { url: page } = await who.does(paymentsApi.checkout, { planType: 'premium' })
    await pause(SETTLE_MS)
    const before = loopMsOf(server.pid)
    const body = new URLSearchParams({ card: '4242424242424242', act: 'pay' })
    const { status } = await fetch(page, { method: 'POST', body, redirect: 'manual' })
    await pause(SETTLE_MS)
    if (status !== 303) throw new Error(`The sandbox answered ${status}`)
    if (round >= warmups) costs.push((loopMsOf(server.pid) - before) / EVENTS)
  }
  const paid = await inDatabase(databaseUrl, 'select from card_events')
  if (paid.length !== EVENTS * (warmups + rounds)) throw new Error('A purchase has told another number of events')
  await server.stop()
  const note = 'the event loop’s time of a purchase by its three events, the sandbox’s part included'
  return [row('webhooks', 'an event of the card provider', median(costs), 'ms', { atMost: LOOP_MS, note })]
}
