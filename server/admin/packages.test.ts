import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { accountApi } from '../../contract/account/account.ts'
import { stepUpApi } from '../../contract/account/stepup.ts'
import { adminPackagesApi as api, type PackageForm } from '../../contract/admin/adminpackages.ts'
import { auditApi } from '../../contract/admin/audit.ts'
import { paymentsApi } from '../../contract/money/payments.ts'
import { checkLedger } from '../money/ledger/audit.ts'
import { creditPeriod } from '../money/ledger/ledger.ts'
import { newId, type Price } from '../sandbox/objects.ts'
import type { Person } from '../testing/person.ts'
import { startWorld } from '../testing/world.ts'

const world = await startWorld()
const DAY = 24 * 60 * 60
const sandbox = world.env.card.inside?.sandbox
if (!sandbox) throw new Error('Tests pay in the sandbox')

const ada = await world.person('ada')
await world.sql('update users set is_admin = true where id = $1', [ada.id])
const confirms = () => ada.does(stepUpApi.confirm, { password: ada.authSecret, kdf: 1 })
beforeEach(confirms)

const FORM: PackageForm = {
  ...{ name: 'Chambers', tier: 'premium', description: 'For legal teams', monthlyPrice: 240_000, yearlyPrice: 2_400_000 },
  ...{ messagesLimit: 5, fileStorageGB: 2, videoCallMinutes: 1200, displayOrder: 2 },
  ...{ advancedEncryption: true, prioritySupport: false, customBranding: false, apiAccess: false },
  ...{ stripePriceIdMonthly: null, stripePriceIdYearly: null },
}
const makes = (more: Partial<PackageForm> = {}) => ada.does(api.create, { ...FORM, ...more })
const listed = () => ada.does(api.list, {})
/** A price that the operator made at the card provider. */
async function priceAt(cents: number, interval: 'month' | 'year', more: Partial<Price> = {}): Promise<string> {
  const id = newId('price')
  const recurring = { interval, interval_count: 1, usage_type: 'licensed' as const }
  const price = {
    id,
    object: 'price',
    active: true,
    lookup_key: null,
    unit_amount: cents,
    currency: 'usd',
    recurring,
    _name: 'Mine',
  } as const
  await sandbox?.run((desk) => desk.keep({ ...price, ...more }))
  return id
}
const rowsOf = async (id: string) => (await ada.does(auditApi.list, {})).rows.filter(({ target }) => target === id)
const rightsOf = async (id: string) =>
  (
    await world.sql('select tier, messages_per_month, storage_bytes::float8 from plan_rights where plan = $1', [`package:${id}`])
  )[0]
const free = (name: string) => world.person(name, 'free')
const pays = async (url: string) => {
  const form = new URLSearchParams({ card: '4242424242424242', act: 'pay' })
  const paid = await fetch(new URL(new URL(url).pathname, world.url), { method: 'POST', body: form, redirect: 'manual' })
  expect(paid.status).toBe(303)
}
const buys = async (who: Person, packageId: string) =>
  pays((await who.does(paymentsApi.checkout, { planType: 'premium', packageId })).url)

test('who sits at Ada’s open session without her password or passkey moves no price and sells nothing', async () => {
  const { id } = await makes()
  await world.sql('update sessions set confirmed_at = null where user_id = $1', [ada.id])
  for (const [call, input] of [
    [api.create, FORM],
    [api.update, { ...FORM, id, monthlyPrice: 1 }],
    [api.toggle, { id, isActive: false }],
    [api.remove, { id }],
  ] as const)
    expect(await ada.tries(call, input)).toBeRefused(401, 'step_up_required')
  expect((await listed()).find((each) => each.id === id)).toMatchObject({ monthlyPrice: 240_000, isActive: true })
})

test('Ada creates a package: it is for sale at once, with unlimited voice minutes, its rights and its row of the trail', async () => {
  const made = await makes({ name: '  Chambers ', stripePriceIdYearly: '' })
  expect(made).toMatchObject({ name: 'Chambers', voiceCallMinutes: -1, isActive: true, isBought: false, archivedAt: null })
  expect(made.stripePriceIdYearly).toBeNull()
  expect(await rightsOf(made.id)).toEqual({ tier: 'premium', messages_per_month: 5, storage_bytes: 2 * 1024 ** 3 })
  const alice = await free('alice')
  expect((await alice.does(paymentsApi.packages, {})).find(({ id }) => id === made.id)).toMatchObject({ monthlyPrice: 240_000 })
  expect(await rowsOf(made.id)).toMatchObject([
    { act: 'create-package', actor: { username: ada.username }, subject: null, before: 'null' },
  ])
  await buys(alice, made.id)
  expect(await alice.does(accountApi.user, {})).toMatchObject({ subscriptionTier: 'premium' })
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({ messagesLimit: 5 })
})

test('what the form does not allow is refused, each field with its text', async () => {
  const wrongs: [object, string][] = [
    [{ name: ' ' }, 'Package name is required'],
    [{ description: '' }, 'Description is required'],
    [{ monthlyPrice: -1 }, 'Monthly price must be non-negative'],
    [{ yearlyPrice: -1 }, 'Yearly price must be non-negative'],
    [{ messagesLimit: -2 }, 'Use -1 for unlimited'],
    [{ fileStorageGB: -2 }, 'Use -1 for unlimited'],
    [{ videoCallMinutes: -2 }, 'Use -1 for unlimited'],
    [{ displayOrder: -1 }, 'Display order must be at least 0'],
    [{ monthlyPrice: 1 }, 'Monthly price must be 0, or at least 50 cents'],
    [{ yearlyPrice: 49 }, 'Yearly price must be 0, or at least 50 cents'],
    [{ monthlyPrice: 1.5 }, 'Monthly price must be a whole number'],
    [{ monthlyPrice: 2 ** 31 }, 'Monthly price must be at most 99999999'],
    [{ tier: 'master' }, 'Tier must be free or premium'],
    [{ apiAccess: undefined }, 'API access is required'],
    [{ fileStorageGB: undefined }, 'File storage GB is required'],
  ]
  for (const [wrong, text] of wrongs) {
    const answer = await ada.tries(api.create, { ...FORM, ...wrong })
    expect(answer).toBeRefused(400, 'invalid_input')
    expect(answer.body).toMatchObject({ error: text })
  }
})

test('a price id is kept only of a price that exists, is for sale, and is paid as often and as much as the package says', async () => {
  const monthly = await priceAt(240_000, 'month')
  const yearly = await priceAt(2_400_000, 'year')
  const every = { interval: 'month', interval_count: 3, usage_type: 'licensed' } as const
  const wrongs: [Partial<PackageForm>, string, string][] = [
    [{ stripePriceIdMonthly: 'price_typo' }, 'stripePriceIdMonthly', 'The card provider knows no price with this ID'],
    [{ stripePriceIdYearly: monthly }, 'stripePriceIdYearly', 'This price is not paid once a year'],
    [
      { stripePriceIdMonthly: await priceAt(240_000, 'month', { recurring: every }) },
      'stripePriceIdMonthly',
      'This price is not paid once a month',
    ],
    [
      { stripePriceIdMonthly: await priceAt(240_000, 'month', { active: false }) },
      'stripePriceIdMonthly',
      'This price is archived at the card provider',
    ],
    [
      { stripePriceIdMonthly: await priceAt(240_000, 'month', { currency: 'eur' }) },
      'stripePriceIdMonthly',
      'This price is in EUR. Prices are in US dollars',
    ],
    [
      { stripePriceIdYearly: yearly, yearlyPrice: 2_400_001 },
      'stripePriceIdYearly',
      'This price is $24,000.00, the package’s is $24,000.01',
    ],
    [
      { stripePriceIdMonthly: monthly, monthlyPrice: 0 },
      'stripePriceIdMonthly',
      'This price is $2,400.00, the package’s is $0.00',
    ],
  ]
  const { id } = await makes()
  const count = (await listed()).length
  for (const [wrong, path, message] of wrongs)
    for (const answer of [
      await ada.tries(api.create, { ...FORM, ...wrong }),
      await ada.tries(api.update, { ...FORM, ...wrong, id }),
    ]) {
      expect(answer).toBeRefused(400, 'wrong_price_id')
      expect(answer.body).toMatchObject({ error: message, details: [{ path, message }] })
    }
  expect((await listed()).length).toBe(count)
  const both = { stripePriceIdMonthly: 'price_typo', stripePriceIdYearly: monthly }
  expect((await ada.tries(api.create, { ...FORM, ...both })).body).toMatchObject({
    details: [{ path: 'stripePriceIdMonthly' }, { path: 'stripePriceIdYearly' }],
  })
  const right = { stripePriceIdMonthly: monthly, stripePriceIdYearly: yearly }
  expect(await ada.does(api.update, { ...FORM, ...right, id })).toMatchObject(right)
  // It is sold by that very price.
  const alice = await free('alice')
  await buys(alice, id)
  const [subscription] = await world.sql(
    "select body from sandbox_objects where kind = 'subscription' order by place desc limit 1",
  )
  expect(subscription?.['body']).toMatchObject({ items: { data: [{ price: { id: monthly } }] } })
})

test('where the card provider is silent, a price id is not kept, and the answer says why', async () => {
  const stripePriceIdMonthly = await priceAt(240_000, 'month')
  const client = await world.env.card.client()
  const { id } = await makes()
  const silent = Object.assign(new Error(''), { type: 'StripeConnectionError' })
  vi.spyOn(client.prices, 'retrieve').mockRejectedValue(silent)
  const answer = await ada.tries(api.update, { ...FORM, id, name: 'Other', stripePriceIdMonthly })
  expect(answer).toBeRefused(503, 'card_unavailable')
  expect(answer.body).toMatchObject({ error: expect.stringContaining('Nothing was saved') })
  expect((await listed()).find((each) => each.id === id)).toMatchObject({ name: 'Chambers', stripePriceIdMonthly: null })
  vi.restoreAllMocks()
})

test('with cards off no new price id is kept, and one of before stays', async () => {
  const stripePriceIdMonthly = await priceAt(240_000, 'month')
  const { id } = await makes({ stripePriceIdMonthly })
  const { provider } = world.env.card
  world.env.card.provider = 'off'
  try {
    expect(await ada.does(api.update, { ...FORM, id, name: 'Other', stripePriceIdMonthly })).toMatchObject({ name: 'Other' })
    const answer = await ada.tries(api.update, { ...FORM, id, stripePriceIdMonthly, stripePriceIdYearly: 'price_year' })
    expect(answer).toBeRefused(400, 'wrong_price_id')
    expect(answer.body).toMatchObject({
      details: [{ path: 'stripePriceIdYearly', message: expect.stringContaining('Cards are off') }],
    })
  } finally {
    world.env.card.provider = provider
  }
})

test('a package whose price is archived at the card provider afterwards is not sold by card, and the log says which', async () => {
  const stripePriceIdMonthly = await priceAt(240_000, 'month')
  const { id } = await makes({ stripePriceIdMonthly })
  await sandbox.run(async (desk) => desk.keep({ ...(await desk.find<Price>(stripePriceIdMonthly, 'price')), active: false }))
  const alice = await free('alice')
  const warned = vi.spyOn(world.env.card, 'warn')
  const wanted = { tier: 'premium', planType: 'premium', packageId: id } as const
  for (const call of [paymentsApi.checkout, paymentsApi.upgrade, paymentsApi.preview])
    expect(await alice.tries(call, wanted)).toBeRefused(409, 'plan_not_sold')
  expect(warned.mock.calls[0]?.[0]).toMatchObject({ priceId: stripePriceIdMonthly, wrong: expect.stringContaining('archived') })
  vi.restoreAllMocks()
})

test('an edit changes prices for the next buyer and limits at once for those who have it, never to less than they paid for', async () => {
  const { id } = await makes()
  const alice = await free('alice')
  await world.sql('update premium_packages set voice_call_minutes = 7 where id = $1', [id])
  // Before anybody has bought it, everything may change.
  expect(await ada.does(api.update, { ...FORM, id, messagesLimit: 3 })).toMatchObject({ messagesLimit: 3, voiceCallMinutes: 7 })
  await buys(alice, id)
  const line = await alice.opensSocket()
  for (const less of [
    { messagesLimit: 2 },
    { messagesLimit: 0 },
    { fileStorageGB: 1 },
    { videoCallMinutes: 0 },
    { tier: 'free' },
  ])
    expect(await ada.tries(api.update, { ...FORM, messagesLimit: 3, id, ...less })).toBeRefused(409, 'package_bought')
  expect(await rightsOf(id)).toMatchObject({ messages_per_month: 3 })
  const raised = { ...FORM, id, messagesLimit: -1, monthlyPrice: 300_000, stripePriceIdMonthly: await priceAt(300_000, 'month') }
  expect(await ada.does(api.update, raised)).toMatchObject({ isBought: true, messagesLimit: -1 })
  await line.hears('account', ({ data }) => data.what === 'plan')
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({ messagesLimit: null })
  const [row] = await rowsOf(id)
  expect(JSON.parse(row?.before ?? '')).toEqual({
    ...{ name: 'Chambers', messagesLimit: 3, monthlyPrice: 240_000, stripePriceIdMonthly: null },
  })
  // Who has it goes on at the price that was agreed.
  world.passes(32 * DAY)
  await world.jobs.runDue()
  await sandbox.deliver()
  await ada.returns()
  await confirms()
  const paid = await world.sql('select amount_cents::int as cents from ledger_entries where user_id = $1 order by place', [
    alice.id,
  ])
  expect(paid).toEqual([{ cents: 240_000 }, { cents: 240_000 }])
  const rows = (await rowsOf(id)).length
  await ada.does(api.update, raised)
  expect(await rowsOf(id)).toHaveLength(rows)
  line.hangsUp()
})

test('who has paid for two packages has the one that allows more, also once the other one allows more', async () => {
  const [one, other] = [await makes({ messagesLimit: 5 }), await makes({ messagesLimit: 7 })]
  const alice = await free('alice')
  for (const { id } of [one, other])
    await world.env.db.transaction((tx) =>
      creditPeriod(tx, world.env.clock(), {
        ...{ key: `coin:${randomUUID()}`, userId: alice.id, source: 'coin', tier: 'premium', packageId: id },
        ...{ billingPeriod: 'monthly', amountCents: 240_000 },
      }),
    )
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({ messagesLimit: 7 })
  await ada.does(api.update, { ...FORM, id: one.id, messagesLimit: 9 })
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({ messagesLimit: 9 })
  const { differences } = await checkLedger(world.env.db, world.env.clock())
  expect(differences.filter((words) => words.startsWith(alice.username))).toEqual([])
})

test('a hidden package is not sold, and one that was bought is archived when it is deleted: not sold, and still renewed', async () => {
  const { id } = await makes()
  const [alice, bob] = [await free('alice'), await free('bob')]
  const begun = await bob.does(paymentsApi.checkout, { planType: 'premium', packageId: id })
  await buys(alice, id)
  expect(await ada.does(api.toggle, { id, isActive: false })).toMatchObject({ isActive: false })
  const eve = await free('eve')
  const bought = () => eve.tries(paymentsApi.checkout, { planType: 'premium', packageId: id })
  expect(await bought()).toBeRefused(409, 'plan_not_sold')
  expect((await eve.does(paymentsApi.packages, {})).some((each) => each.id === id)).toBe(false)
  expect((await listed()).find((each) => each.id === id)).toMatchObject({ isActive: false, archivedAt: null })
  await ada.does(api.toggle, { id, isActive: true })
  expect(await ada.does(api.remove, { id })).toEqual({ isArchived: true })
  expect(await bought()).toBeRefused(409, 'plan_not_sold')
  for (const [call, input] of [
    [api.toggle, { id, isActive: true }],
    [api.update, { ...FORM, id }],
    [api.remove, { id }],
  ] as const)
    expect(await ada.tries(call, input)).toBeRefused(409, 'package_archived')
  expect((await listed()).find((each) => each.id === id)).toMatchObject({ isActive: false, archivedAt: expect.any(String) })
  // A checkout that was begun before is paid, and gives what was bought.
  await pays(begun.url)
  expect(await bob.does(accountApi.user, {})).toMatchObject({ subscriptionTier: 'premium' })
  world.passes(32 * DAY)
  await world.jobs.runDue()
  await sandbox.deliver()
  await ada.returns()
  await confirms()
  await alice.returns()
  expect(await alice.does(paymentsApi.subscription, {})).toMatchObject({ tier: 'premium', packageId: id, card: { renews: true } })
  expect((await rowsOf(id)).map(({ act }) => act)).toEqual([
    ...['delete-package', 'toggle-package', 'toggle-package', 'create-package'],
  ])
})

test('a package that nobody has bought is gone when it is deleted, a day later with its row', async () => {
  const { id } = await makes()
  expect(await ada.does(api.remove, { id })).toEqual({ isArchived: false })
  expect((await listed()).some((each) => each.id === id)).toBe(false)
  const counted = () => world.sql('select from premium_packages where id = $1', [id])
  await makes()
  expect(await counted()).toHaveLength(1)
  world.passes(DAY + 60)
  await ada.returns()
  await confirms()
  await makes()
  expect(await counted()).toHaveLength(0)
  expect(await rightsOf(id)).toBeUndefined()
})

test('a free account gets the first active Premium package by its order, and none at 0', async () => {
  const chosen = async (who: Person) => {
    const { checkoutUrl = '' } = await who.does(paymentsApi.upgrade, { tier: 'premium' })
    return await (await fetch(checkoutUrl)).text()
  }
  const alice = await free('alice')
  await world.sql('update premium_packages set display_order = 50')
  const first = await makes({ displayOrder: 1, monthlyPrice: 11_100 })
  const second = await makes({ displayOrder: 3, monthlyPrice: 22_200 })
  await makes({ displayOrder: 0, tier: 'free', monthlyPrice: 0 })
  expect(await chosen(alice)).toContain('Pay $111.00')
  await ada.does(api.toggle, { id: first.id, isActive: false })
  expect(await chosen(alice)).toContain('Pay $222.00')
  await ada.does(api.update, { ...FORM, id: second.id, displayOrder: 3, messagesLimit: 0 })
  expect(await alice.tries(paymentsApi.upgrade, { tier: 'premium' })).toBeRefused(409, 'plan_not_sold')
  await world.sql('update premium_packages set is_active = false')
  expect(await alice.tries(paymentsApi.upgrade, { tier: 'premium' })).toBeRefused(409, 'plan_not_sold')
  await world.sql('delete from premium_packages where id = $1', [second.id])
})

test('Eve changes no package: as a user, and as an administrator whose rights have ended', async () => {
  const { id } = await makes()
  const [eve, demoted] = [await world.person('eve'), await world.person('demoted')]
  await world.sql('update users set is_admin = true where id = $1', [demoted.id])
  await demoted.does(stepUpApi.confirm, { password: demoted.authSecret, kdf: 1 })
  await demoted.does(api.list, {})
  await world.sql('update users set is_admin = false where id = $1', [demoted.id])
  const before = await world.sql('select * from premium_packages order by id')
  for (const who of [eve, demoted])
    for (const [call, input] of [
      [api.list, {}],
      [api.create, FORM],
      [api.update, { ...FORM, id, monthlyPrice: 1 }],
      [api.toggle, { id, isActive: false }],
      [api.remove, { id }],
    ] as const)
      expect(await who.tries(call, input)).toBeRefused(403, 'admin_required')
  expect(await world.sql('select * from premium_packages order by id')).toEqual(before)
  expect(await ada.tries(api.toggle, { id: randomUUID(), isActive: true })).toBeRefused(404, 'package_not_found')
})

test('an administrator whose rights end while the act waits changes no package', async () => {
  const { id } = await makes()
  const demoted = await world.person('demoted')
  await world.sql('update users set is_admin = true where id = $1', [demoted.id])
  await demoted.does(stepUpApi.confirm, { password: demoted.authSecret, kdf: 1 })
  const held = await world.pool.connect()
  try {
    await held.query('begin')
    await held.query('select pg_advisory_xact_lock(7302116)')
    const hiding = demoted.tries(api.toggle, { id, isActive: false })
    await world.lockWaits()
    await world.sql('update users set is_admin = false where id = $1', [demoted.id])
    await held.query('commit')
    expect(await hiding).toBeRefused(403, 'admin_required')
  } finally {
    held.release()
  }
  expect((await listed()).find((each) => each.id === id)).toMatchObject({ isActive: true })
})

test('there are at most a hundred packages beside the archived ones', async () => {
  await world.sql(
    `insert into premium_packages (id, name, description, tier, is_active, created_at, updated_at)
     select gen_random_uuid(), 'x', 'x', 'premium', false, now(), now() from generate_series(1, 100)`,
  )
  expect(await ada.tries(api.create, FORM)).toBeRefused(409, 'too_many_packages')
  await world.sql("delete from premium_packages where name = 'x'")
})

test('two who pay while the package is deleted get what they paid for', async () => {
  const { id } = await makes()
  const people = await Promise.all(['one', 'two'].map(free))
  const credited = people.map((who) =>
    world.env.db.transaction((tx) =>
      creditPeriod(tx, world.env.clock(), {
        ...{ key: `coin:${randomUUID()}`, userId: who.id, source: 'coin', tier: 'premium', packageId: id },
        ...{ billingPeriod: 'monthly', amountCents: 240_000 },
      }),
    ),
  )
  await Promise.all([ada.does(api.remove, { id }), ...credited])
  for (const who of people) expect(await who.does(accountApi.user, {})).toMatchObject({ subscriptionTier: 'premium' })
  expect((await listed()).find((each) => each.id === id)).toMatchObject({ isBought: true })
})
