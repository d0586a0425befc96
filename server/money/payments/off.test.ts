import { expect, test } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ variables: { PUBLIC_URL: 'http://chat.example.org' } })

test('a server with a public address and no key takes no cards and says so, and has no page of the sandbox', async () => {
  const alice = await world.person('alice', 'free')
  expect(await alice.does(paymentsApi.subscription, {})).toMatchObject({ cardProvider: 'off', card: null })
  expect(await alice.tries(paymentsApi.checkout, { planType: 'premium' })).toBeRefused(409, 'card_off')
  expect(await alice.tries(paymentsApi.upgrade, { tier: 'premium' })).toBeRefused(409, 'card_off')
  expect((await alice.request('GET', '/sandbox/checkout/cs_1')).status).toBe(404)
  expect((await alice.request('GET', '/sandbox/style.css')).status).toBe(404)
  expect(await alice.request('POST', paymentsApi.webhook.path, { body: '{}' })).toBeRefused(409, 'card_off')
})
