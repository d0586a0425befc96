import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accountApi } from '../../contract/account/account.ts'
import { stepUpApi } from '../../contract/account/stepup.ts'
import { adminApi } from '../../contract/admin/admin.ts'
import { auditApi } from '../../contract/admin/audit.ts'
import { coinReviewsApi, type ReviewOutcome } from '../../contract/money/coinreviews.ts'
import { COIN_REQUEST_SECONDS, type CoinPayment, coinsApi } from '../../contract/money/coins.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { checkLedger } from '../money/ledger/audit.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../testing/chain.ts'
import type { Person } from '../testing/person.ts'
import { startWorld, type World } from '../testing/world.ts'
import { lockAdministration } from './store-audit.ts'

const PACKAGE = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
const SENT_BACK = 'ab'.repeat(32)
let world: World | undefined
const keys = accountKeys(11)
const clock = () => world?.env.clock() ?? new Date()
const bitcoin = await startBitcoin(clock, keys.bitcoin)
const sources = await startPriceSources()
const here = await startWorld({ variables: { ...bitcoin.variables, ...sources.variables } })
world = here

const confirms = (who: Person) => who.does(stepUpApi.confirm, { password: who.authSecret, kdf: 1 })
async function administrator(name: string): Promise<Person> {
  const person = await here.person(name, 'free')
  await here.sql('update users set is_admin = true where id = $1', [person.id])
  await confirms(person)
  return person
}

/** A payment of a month, so many satoshis of which have come in time, in blocks enough. */
async function paid(share: 'all' | 'half'): Promise<{ alice: Person; payment: CoinPayment; hash: string }> {
  const alice = await here.person('alice', 'free')
  const wish = {
    packageId: PACKAGE,
    currency: 'bitcoin',
    billingPeriod: 'monthly',
    walletAddress: 'bc1qbacktoalice0000000',
  } as const
  const payment = await alice.does(coinsApi.createPayment, wish)
  const hash = await bitcoin.pay(payment.paymentAddress, share === 'all' ? 1_562_500n : 781_250n)
  await bitcoin.mine(3)
  here.passes(share === 'all' ? 31 : COIN_REQUEST_SECONDS + 60)
  await here.jobs.runDue()
  await alice.returns()
  return { alice, payment, hash }
}
/** The review of that payment as the administrator's list shows it. */
async function waiting(who: Person, { id }: CoinPayment) {
  const { total } = await who.does(coinReviewsApi.list, {})
  for (let page = 1; page <= Math.ceil(total / 20); page++) {
    const found = (await who.does(coinReviewsApi.list, { page })).reviews.find(({ paymentId }) => paymentId === id)
    if (found) return found
  }
  return undefined
}
const reviewIdOf = async (who: Person, payment: CoinPayment) => (await waiting(who, payment))?.id ?? ''
const settle = (who: Person, reviewId: string, outcome: ReviewOutcome, transactionHash?: string) =>
  who.tries(coinReviewsApi.settle, { reviewId, outcome, ...(transactionHash && { transactionHash }) })
const tierOf = async (who: Person) => (await who.does(accountApi.user, {})).subscriptionTier
const entriesOf = async ({ id }: Person) =>
  (await here.sql('select kind from ledger_entries where user_id = $1 order by place', [id])).map(({ kind }) => kind)
const actsOn = async ({ id }: Person) =>
  (await here.sql('select act, before, after from audit_log where subject_id = $1 order by seq', [id])) as unknown[]
const shownOf = async (who: Person) => (await who.does(coinsApi.payments, {}))[0]

test('half a payment waits on the list with what came, what it was worth, where, by what and whose it is; the plan that is given for it reaches the open page, and leaves its row', async () => {
  const { alice, payment, hash } = await paid('half')
  const ada = await administrator('ada')
  const review = await waiting(ada, payment)
  expect(review).toMatchObject({
    ...{ reason: 'underpaid', currency: 'bitcoin', amount: '0.01562500', usdCents: 100_000, status: 'needs_review' },
    ...{ asset: 'bitcoin', assetAmount: '0.00781250', assetCents: 50_000, transactions: [hash] },
    ...{ paymentAddress: payment.paymentAddress, walletAddress: 'bc1qbacktoalice0000000' },
    ...{ payer: { id: alice.id, username: alice.username }, outcomes: ['credited', 'refunded', 'kept'] },
  })
  const line = await alice.opensSocket()
  expect((await settle(ada, review?.id ?? '', 'credited')).status).toBe(200)
  await line.hears('account', ({ data }) => data.what === 'plan')
  line.hangsUp()
  expect([await tierOf(alice), (await shownOf(alice))?.status]).toEqual(['premium', 'confirmed'])
  expect(await waiting(ada, payment)).toBeUndefined()
  expect(await actsOn(alice)).toEqual([
    {
      act: 'settle-payment',
      before: '{"reason":"underpaid","asset":"bitcoin","units":"781250","status":"needs_review"}',
      after: '{"outcome":"credited","status":"confirmed"}',
    },
  ])
  expect((await ada.does(auditApi.check, {})).brokenAt).toBeNull()
  // Alice is told what was done, and not by whom.
  const own = await alice.does(auditApi.own, {})
  expect(own).toMatchObject([{ act: 'settle-payment', after: '{"outcome":"credited","status":"confirmed"}' }])
  expect(JSON.stringify(own)).not.toContain(ada.id)
})

test('two administrators who close one review at once: one act counts, the other is refused, and one month is given', async () => {
  const [ada, ben] = [await administrator('ada'), await administrator('ben')]
  for (const other of ['credited', 'refunded', 'kept'] as const) {
    const { alice, payment } = await paid('half')
    await Promise.all([confirms(ada), confirms(ben)])
    const reviewId = await reviewIdOf(ada, payment)
    const answers = await Promise.all([
      settle(ada, reviewId, 'credited'),
      settle(ben, reviewId, other, other === 'refunded' ? SENT_BACK : undefined),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)).toBeRefused(409, 'review_closed')
    expect(await actsOn(alice)).toHaveLength(1)
    const isCredited = (await shownOf(alice))?.status === 'confirmed'
    expect(await entriesOf(alice)).toEqual(isCredited ? ['payment'] : [])
  }
})

test('looks at the chain and an administrator at the same time wait for each other, and neither fails', async () => {
  const ada = await administrator('ada')
  for (let round = 0; round < 5; round++) {
    const { alice, payment } = await paid('half')
    const reviewId = await reviewIdOf(ada, payment)
    here.passes(601)
    await confirms(ada)
    const [answer] = await Promise.all([
      settle(ada, reviewId, 'credited'),
      here.jobs.runDue(),
      alice.does(coinsApi.checkPayment, { paymentId: payment.id }),
    ])
    expect(answer.status).toBe(200)
    expect((await alice.does(coinsApi.checkPayment, { paymentId: payment.id })).status).toBe('confirmed')
  }
})

test('Eve, as a user, as an administrator of before and as one who has not confirmed, sees and moves nothing', async () => {
  const { alice, payment } = await paid('half')
  const { alice: bob, payment: bought } = await paid('all')
  const ada = await administrator('ada')
  const reviewId = await reviewIdOf(ada, payment)
  const [eve, ben] = [await here.person('eve', 'free'), await here.person('ben', 'free')]
  await here.sql('update users set is_admin = true where id = $1', [ben.id])
  const moves = (who: Person) =>
    Promise.all([
      settle(who, reviewId, 'credited'),
      who.tries(coinReviewsApi.refund, { id: bought.id, transactionHash: SENT_BACK }),
    ])
  for (const answer of await moves(ben)) expect(answer).toBeRefused(401, 'step_up_required')
  await confirms(ben)
  await ada.does(adminApi.removeAdmin, { id: ben.id })
  for (const who of [eve, ben, alice, bob]) {
    expect(await who.tries(coinReviewsApi.list, {})).toBeRefused(403, 'admin_required')
    expect(await who.tries(coinReviewsApi.find, { named: bought.paymentAddress })).toBeRefused(403, 'admin_required')
    for (const answer of await moves(who)) expect(answer).toBeRefused(403, 'admin_required')
  }
  expect([await tierOf(alice), await tierOf(bob), await entriesOf(alice), await entriesOf(bob)]).toEqual([
    ...['free', 'premium'],
    ...[[], ['payment']],
  ])
  expect([...(await actsOn(alice)), ...(await actsOn(bob))]).toEqual([])
})

/** Runs acts that wait for what another transaction holds. `meanwhile` happens in that one once all of them wait. */
async function behind<T>(
  holds: (tx: Queryable) => Promise<unknown>,
  acts: () => Promise<T>[],
  meanwhile: (tx: Queryable) => Promise<unknown>,
): Promise<T[]> {
  const { begun } = await here.env.db.transaction(async (tx) => {
    await holds(tx)
    const begun = acts()
    await here.lockWaits(begun.length)
    await meanwhile(tx)
    return { begun }
  })
  return await Promise.all(begun)
}
const holdsPayment = (id: string) => (tx: Queryable) => tx.execute(sql`select from crypto_payments where id = ${id} for update`)

test('an administrator who is demoted while an act waits for its turn closes nothing and sends nothing back', async () => {
  const [{ alice, payment }, { alice: bob, payment: bought }] = [await paid('half'), await paid('all')]
  const [ada, ben] = [await administrator('ada'), await administrator('ben')]
  const reviewId = await reviewIdOf(ada, payment)
  const answers = await behind(
    lockAdministration,
    () => [settle(ben, reviewId, 'credited'), ben.tries(coinReviewsApi.refund, { id: bought.id, transactionHash: SENT_BACK })],
    (tx) => tx.execute(sql`update users set is_admin = false where id = ${ben.id}`),
  )
  for (const answer of answers) expect(answer).toBeRefused(403, 'admin_required')
  expect([await entriesOf(alice), await entriesOf(bob)]).toEqual([[], ['payment']])
  expect(await waiting(ada, payment)).toMatchObject({ id: reviewId })
})

test('a review that a look closes while an administrator waits for the payment is closed once', async () => {
  const { alice, payment } = await paid('half')
  const ada = await administrator('ada')
  const reviewId = await reviewIdOf(ada, payment)
  const [answer] = await behind(
    holdsPayment(payment.id),
    () => [settle(ada, reviewId, 'credited')],
    (tx) => tx.execute(sql`update crypto_reviews set outcome = 'returned' where id = ${reviewId}`),
  )
  expect(answer).toBeRefused(409, 'review_closed')
  expect([await entriesOf(alice), await actsOn(alice)]).toEqual([[], []])
})

test('an act that waits for a payment holds nothing of the account, which a look locks after the payment', async () => {
  const [{ alice, payment }, { alice: bob, payment: bought }] = [await paid('half'), await paid('all')]
  const ada = await administrator('ada')
  const reviewId = await reviewIdOf(ada, payment)
  const refunds = () => ada.tries(coinReviewsApi.refund, { id: bought.id, transactionHash: SENT_BACK })
  for (const { id, userId, act } of [
    { id: payment.id, userId: alice.id, act: () => settle(ada, reviewId, 'credited') },
    { id: bought.id, userId: bob.id, act: refunds },
  ]) {
    const [answer] = await behind(
      holdsPayment(id),
      () => [act()],
      (tx) => tx.execute(sql`select from users where id = ${userId} for no key update nowait`),
    )
    expect(answer?.status).toBe(200)
  }
})

test('the payer’s open page is told of money that is kept or sent back, which changes no plan, and of a plan that is paid back', async () => {
  const ada = await administrator('ada')
  for (const outcome of ['kept', 'refunded'] as const) {
    const { alice, payment } = await paid('half')
    await confirms(ada)
    const reviewId = await reviewIdOf(ada, payment)
    const line = await alice.opensSocket()
    expect((await settle(ada, reviewId, outcome, outcome === 'refunded' ? SENT_BACK : undefined)).status).toBe(200)
    await line.hears('account', ({ data }) => data.what === 'plan')
    line.hangsUp()
  }
  const { alice, payment } = await paid('all')
  await confirms(ada)
  const line = await alice.opensSocket()
  await ada.does(coinReviewsApi.refund, { id: payment.id, transactionHash: SENT_BACK })
  await line.hears('account', ({ data }) => data.what === 'plan')
  line.hangsUp()
})

test('money that was sent back names its transaction, and nothing else does; what cannot be done about a payment is refused', async () => {
  const { alice, payment } = await paid('half')
  const ada = await administrator('ada')
  const reviewId = await reviewIdOf(ada, payment)
  expect(await settle(ada, reviewId, 'refunded')).toBeRefused(400, 'transaction_required')
  expect(await settle(ada, reviewId, 'kept', SENT_BACK)).toBeRefused(400, 'transaction_required')
  expect(await settle(ada, reviewId, 'withdrawn')).toBeRefused(409, 'outcome_impossible')
  expect(await settle(ada, crypto.randomUUID(), 'kept')).toBeRefused(404, 'not_found')
  for (const wrong of ['', 'ab', `${SENT_BACK}0`, '<script>'])
    expect((await ada.tries(coinReviewsApi.settle, { reviewId, outcome: 'refunded', transactionHash: wrong })).status).toBe(400)
  expect(await actsOn(alice)).toEqual([])
  expect((await settle(ada, reviewId, 'refunded', SENT_BACK.toUpperCase())).status).toBe(200)
  expect(await shownOf(alice)).toMatchObject({ status: 'refunded', refundTransaction: SENT_BACK })
  expect([await tierOf(alice), await entriesOf(alice)]).toEqual(['free', []])
})

test('a payment that is sent back in whole ends its plan, once, however many note it at once; one that bought nothing is not', async () => {
  const [ada, ben] = [await administrator('ada'), await administrator('ben')]
  const { alice, payment, hash } = await paid('all')
  expect(await tierOf(alice)).toBe('premium')
  for (const named of [payment.paymentAddress, payment.paymentAddress.toUpperCase(), hash, ` ${hash} `])
    expect(await ada.does(coinReviewsApi.find, { named })).toMatchObject([
      {
        paymentId: payment.id,
        usdCents: 100_000,
        transactionHash: hash,
        isRefundable: true,
        payer: { username: alice.username },
      },
    ])
  expect(await ada.does(coinReviewsApi.find, { named: payment.paymentAddress.slice(0, 30) })).toEqual([])
  const refund = (who: Person, paymentId: string) =>
    who.tries(coinReviewsApi.refund, { id: paymentId, transactionHash: `0x${SENT_BACK}` })
  const answers = await Promise.all([ada, ben, ada, ben].map((who) => refund(who, payment.id)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({
    ...{ status: 'refunded', refundTransaction: SENT_BACK, isRefundable: false },
  })
  expect(answers.find(({ status }) => status === 409)).toBeRefused(409, 'nothing_to_refund')
  expect([await tierOf(alice), await entriesOf(alice), (await actsOn(alice)).length]).toEqual(['free', ['payment', 'refund'], 1])
  expect(await shownOf(alice)).toMatchObject({ status: 'refunded', refundTransaction: SENT_BACK })
  // The chain still shows the payment, and gives nothing for it again.
  here.passes(24 * 60 * 60)
  await here.jobs.runDue()
  await alice.returns()
  expect([await tierOf(alice), (await shownOf(alice))?.status]).toEqual(['free', 'refunded'])
  const { payment: unpaid } = await paid('half')
  await confirms(ada)
  expect(await refund(ada, unpaid.id)).toBeRefused(409, 'nothing_to_refund')
  expect(await refund(ada, crypto.randomUUID())).toBeRefused(404, 'not_found')
  expect((await checkLedger(here.env.db, clock())).differences).toEqual([])
})
