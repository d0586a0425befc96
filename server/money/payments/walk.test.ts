import { expect, test } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { giveTier } from '../../admin/operator.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { followPlans } from '../ledger/ledger.ts'

const world = await startWorld()
const { sandbox, pays, passes, holds, changesCard, atPortal, waitingOf } = cardsOf(world)
const plans = followPlans()
const STEPS = Number(process.env['WALK_STEPS'] ?? 50)
let seed = Number(process.env['WALK_SEED'] ?? 7_219) % 2_147_483_647
const next = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}
const oneOf = <T>(list: readonly [T, ...T[]]): T => list[next(list.length)] ?? list[0]

const offer = () => ({
  tier: oneOf(['test', 'premium'] as const),
  billingPeriod: oneOf(['monthly', 'monthly', 'yearly'] as const),
})
const acts = ['pay', 'confirmed', 'failed'] as const
const anyCard = () => oneOf(Object.values(CARD) as [string, ...string[]])

/** What a person or the provider does. What the server refuses by name changes nothing, so any answer below 500 is fine. */
const verbs: Record<string, (who: Person) => Promise<unknown>> = {
  buys: async (who) => {
    const { tier, ...choice } = offer()
    const { body } = await tries(who, paymentsApi.checkout, { planType: tier, ...choice })
    const url = paymentsApi.checkout.output.safeParse(body).data?.url
    if (url !== undefined) await pays(url, anyCard(), oneOf(acts))
  },
  changes: async (who) => {
    const { body } = await tries(who, paymentsApi.upgrade, offer())
    const url = paymentsApi.upgrade.output.safeParse(body).data?.checkoutUrl
    if (url !== undefined && next(2) === 0) await pays(url, anyCard(), oneOf(acts))
  },
  paysWhatWaits: async (who) => {
    const waiting = await waitingOf(who)
    if (waiting) await pays(waiting.url, anyCard(), oneOf(acts))
  },
  ends: (who) => tries(who, paymentsApi.upgrade, { tier: 'free' }),
  keeps: (who) => tries(who, paymentsApi.keep, {}),
  isPaidBack: (who) => tries(who, paymentsApi.refund, {}),
  changesCard: async (who) => ((await hasPortal(who)) ? await changesCard(who, anyCard()) : undefined),
  renews: async (who) => ((await hasPortal(who)) ? await atPortal(who, { act: oneOf(['renew', 'collect']) }) : undefined),
  isGiven: (who) =>
    giveTier(world.env, { username: who.username, tier: oneOf(['free', 'premium', 'master']), endDate: undefined }),
  waits: async () => {
    await passes(next(20))
    while (await plans(world.env));
  },
}

async function tries(who: Person, ...call: Parameters<Person['tries']>) {
  const answer = await who.tries(...call)
  expect(answer.status, answer.code).toBeLessThan(500)
  return answer
}
const hasPortal = async (who: Person) => (await who.tries(paymentsApi.portal, {})).status === 200

/** What the provider has taken and given back of each account, in cents, by its own books. */
async function atProvider(who: Person): Promise<number> {
  const [row] = await world.sql(
    `select coalesce((select sum((i.body ->> 'amount_paid')::bigint) from sandbox_objects i
        where i.kind = 'invoice' and i.body ->> 'status' = 'paid' and i.customer = c.customer_id), 0)
      - coalesce((select sum((r.body ->> 'amount')::bigint) from sandbox_objects r where r.kind = 'refund' and r.customer = c.customer_id), 0)
      as cents from card_accounts c where c.user_id = $1`,
    [who.id],
  )
  return Number(row?.['cents'] ?? 0)
}

async function inLedger(who: Person): Promise<number> {
  const [row] = await world.sql(
    `select coalesce(sum(case kind when 'payment' then amount_cents when 'refund' then -amount_cents else 0 end), 0) as cents
     from ledger_entries where user_id = $1 and source = 'card'`,
    [who.id],
  )
  return Number(row?.['cents'])
}

test('after any payments, confirmations, declines, changes, refunds, grants, crashes and days the ledger has what the provider has, to the cent', async () => {
  const people = [await world.person('one', 'free'), await world.person('two', 'free')]
  const { post } = sandbox
  // A delivery that is not answered is repeated, as the provider does: the first attempt of some crashes before its transaction ends.
  sandbox.post = async (event) => {
    if (next(4) === 0) {
      world.env.fault = () => {
        throw new Error('crash')
      }
      await post(event)
      delete world.env.fault
    }
    await post(event)
  }
  const names = Object.keys(verbs)
  for (let step = 0; step < STEPS; step++) {
    const who = people[next(people.length)]
    const name = names[next(names.length)] ?? ''
    Object.assign(sandbox.delivery, { copies: 1 + next(3), isReversed: next(2) === 0 })
    if (who) await verbs[name]?.(who)
    await sandbox.deliver()
    for (const each of people) {
      if (name === 'waits') await each.returns()
      expect(await inLedger(each), `step ${step}: ${name}`).toBe(await atProvider(each))
    }
    await holds()
  }
}, 1_200_000)
