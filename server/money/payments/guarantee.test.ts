import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { fingerprintOf } from '../../sandbox/objects.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const { sandbox, buys, changesCard, holds, stateOf } = cardsOf(world)
const person = (name: string) => world.person(name, 'free')
const refunds = (who: Person) => who.tries(paymentsApi.refund, {})
const deletes = (who: Person) => who.does(accountApi.remove, { password: who.authSecret, kdf: 1 })
const marks = () => world.sql('select * from guarantee_cards')
const KEPT = ['card', 'subscription', 'used_at']
/** What has changed something at the provider. */
const changesIn = (calls: string[]) => calls.filter((call) => !call.startsWith('GET '))

test('the guarantee holds once for a card: a second account is refused before anything is touched, also where both are deleted', async () => {
  const [alice, bob, carol] = [await person('alice'), await person('bob'), await person('carol')]
  await buys(alice, 'premium')
  const before = sandbox.calls.length
  expect(await alice.does(paymentsApi.refund, {})).toEqual({ refundedCents: 100_000 })
  expect(sandbox.calls.slice(before).filter((call) => call.startsWith('GET /v1/payment_intents/'))).toHaveLength(1)
  await buys(bob, 'test')
  const from = sandbox.calls.length
  expect(await refunds(bob)).toBeRefused(409, 'guarantee_used_by_card')
  expect(changesIn(sandbox.calls.slice(from))).toEqual([])
  expect(await stateOf(bob)).toMatchObject({ tier: 'test', card: { renews: true }, refundableCents: 100 })
  for (const who of [alice, bob]) await deletes(who)
  await buys(carol, 'test')
  expect(await refunds(carol)).toBeRefused(409, 'guarantee_used_by_card')
  // What counts is the card that has paid.
  await changesCard(carol, CARD.other)
  expect(await refunds(carol)).toBeRefused(409, 'guarantee_used_by_card')
  await holds()
})

test('of the card only keyed hashes and the time are kept, and another card is paid back', async () => {
  const dan = await person('dan')
  await buys(dan, 'test', CARD.other)
  expect((await refunds(dan)).status).toBe(200)
  const rows = await marks()
  expect(rows.map((row) => Object.keys(row))).toEqual([KEPT, KEPT])
  for (const { card, subscription } of rows)
    for (const hash of [Buffer.from(Object(card)), Buffer.from(Object(subscription))]) {
      expect(hash).toHaveLength(32)
      expect(
        hash.equals(
          createHash('sha256')
            .update(`card ${fingerprintOf(CARD.other)}`)
            .digest(),
        ),
      ).toBe(false)
    }
  await holds()
})

test('of two who ask at once by one card one is paid back, and an interrupted refund goes on', async () => {
  const two = [await person('erin'), await person('finn')]
  for (const who of two) await buys(who, 'test', CARD.third)
  const statuses = await Promise.all(two.map(async (who) => (await refunds(who)).status))
  expect(statuses.sort()).toEqual([200, 409])

  await world.sql('delete from guarantee_cards')
  const [gina, hal] = [await person('gina'), await person('hal')]
  for (const who of [gina, hal]) await buys(who, 'test')
  sandbox.trouble = () => (sandbox.calls.at(-1) === 'POST /v1/refunds' ? 'refused' : undefined)
  expect(await refunds(gina)).toBeRefused(503, 'card_unavailable')
  sandbox.trouble = () => undefined
  expect(await refunds(hal)).toBeRefused(409, 'guarantee_used_by_card')
  expect(await gina.does(paymentsApi.refund, {})).toEqual({ refundedCents: 100 })
  await holds()
})

test('a server with CARD_GUARANTEE=off offers none and refuses by name; else the plan says that it is offered', async () => {
  expect((await stateOf(await person('ida'))).hasGuarantee).toBe(true)
  const without = await startWorld({ variables: { CARD_GUARANTEE: 'off' } })
  const cards = cardsOf(without)
  const alice = await without.person('alice', 'free')
  await cards.buys(alice, 'premium')
  expect(await cards.stateOf(alice)).toMatchObject({ tier: 'premium', refundableCents: null, hasGuarantee: false })
  const from = cards.sandbox.calls.length
  expect(await refunds(alice)).toBeRefused(409, 'guarantee_off')
  expect(cards.sandbox.calls.slice(from)).toEqual([])
  await cards.holds()
})
