import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { startWorld } from '../../testing/world.ts'

// The provider itself cannot be reached from a test, so nothing here asks it: what is tested needs no network.
const KEY = 'sk_test_51SecretOfTheOperator'
const SECRET = 'whsec_SecretOfTheWebhook'
const world = await startWorld({
  variables: {
    ...{ PUBLIC_URL: 'http://chat.example.org', STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: SECRET },
    PLANS_FOR_TEST_CARDS: 'on',
  },
})

const event = (type: string, object: object) =>
  JSON.stringify({ id: 'evt_1', object: 'event', type, created: 1, livemode: true, data: { object } })
const posts = (payload: string, secret: string) =>
  world.stranger().request('POST', paymentsApi.webhook.path, {
    body: payload,
    headers: { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret }) },
  })

test('with a key the real provider takes the cards: there is no sandbox, and its webhook secret opens nothing else', async () => {
  const alice = await world.person('alice', 'free')
  expect(await alice.does(paymentsApi.subscription, {})).toMatchObject({ cardProvider: 'stripe', card: null })
  for (const path of ['checkout/cs_1', 'invoice/in_1', 'portal/cus_1', 'style.css'])
    expect((await alice.request('GET', `/sandbox/${path}`)).status).toBe(404)
  expect(world.env.card.inside).toBeUndefined()
  const payload = event('invoice.paid', { object: 'invoice', customer: 'cus_of_nobody' })
  expect(await posts(payload, 'whsec_sandbox')).toBeRefused(400, 'invalid_webhook')
  expect(await posts(payload, '')).toBeRefused(400, 'invalid_webhook')
  expect((await posts(payload, SECRET)).status).toBe(200)
  expect(await world.sql('select from ledger_entries')).toHaveLength(0)
})

test('neither the key nor the webhook secret stands in an answer or in the log', async () => {
  const alice = await world.person('alice', 'free')
  const payload = event('invoice.paid', { object: 'invoice', customer: 'cus_of_nobody' })
  const answers = [
    await alice.request('GET', paymentsApi.subscription.path),
    await alice.request('GET', '/api/health'),
    await alice.request('POST', paymentsApi.keep.path, { body: '{}' }),
    await posts(payload, 'whsec_forged'),
    await posts(payload.slice(1), SECRET),
  ]
  const told = JSON.stringify(answers) + world.log()
  expect(world.log()).toContain(paymentsApi.webhook.path)
  for (const secret of [KEY, SECRET]) expect(told).not.toContain(secret)
})

test('a signed event that is about nothing, and one that is too large, are refused by name', async () => {
  for (const payload of [
    '{"id":"evt_1","type":"invoice.paid"}',
    event('x', {}).replace('"object":{}', '"object":null'),
    '7',
    'null',
  ])
    expect(await posts(payload, SECRET), payload).toBeRefused(400, 'invalid_webhook')
  const filled = (bytes: number) => event('invoice.paid', { object: 'invoice', customer: 'cus_of_nobody', x: 'x'.repeat(bytes) })
  expect((await posts(filled(900 * 1024), SECRET)).status).toBe(200)
  expect(await posts(filled(1024 * 1024), SECRET)).toBeRefused(413, 'too_large')
})
