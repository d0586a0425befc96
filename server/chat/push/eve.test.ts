import { expect, test } from 'vitest'
import { pushApi } from '../../../contract/chat/push.ts'
import { PUSH_LIMITS } from '../../../contract/chat/pushlimits.ts'
import { startPushService } from '../../testing/pushed.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true })
const open = await startWorld({ hasLimits: true, variables: { OUTBOUND_GUARD: 'off' } })
const closed = await startWorld({ variables: { PUSH: 'off', OUTBOUND_GUARD: 'off' } })
const service = await startPushService()

const INNER = [
  ...[
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://0.0.0.0/',
    'https://127.1/',
  ],
  ...[
    'https://10.0.0.1/',
    'https://192.168.0.1/',
    'https://172.20.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
  ],
  ...[
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://224.0.0.1/',
    'https://[ff02::1]/',
    'https://[::]/',
    'https://2130706433/',
  ],
  ...['http://push.example.org/', 'https://93.184.215.14:8443/', 'https://eve@93.184.215.14/', 'ftp://93.184.215.14/'],
]

test('Eve has the server ask nobody in its own network: each such address is refused by name, and none is kept', async () => {
  const eve = await world.person('eve')
  const { keys } = service.browser().subscription
  for (const endpoint of [...INNER, `${service.url}/wake`])
    expect(await eve.tries(pushApi.subscribe, { endpoint, keys }), endpoint).toBeRefused(400, 'forbidden_address')
  expect(await world.sql('select from push_subscriptions')).toEqual([])
})

test('Eve who floods is refused by name: the twenty-first subscription of the account, and then each call for a while', async () => {
  const [alice, eve] = [await open.person('alice'), await open.person('eve')]
  const subscribe = () => eve.tries(pushApi.subscribe, service.browser().subscription)
  const all = await Promise.all(Array.from({ length: 30 }, subscribe))
  expect(all.filter(({ status }) => status === 200)).toHaveLength(PUSH_LIMITS.pushSubscriptionsMax)
  expect(await subscribe()).toBeRefused(409, 'too_many_push_subscriptions')
  for (let count = 0; count < 100; count++) await subscribe()
  expect(await subscribe()).toBeRefused(429, 'too_many_requests')
  expect(await open.sql('select from push_subscriptions where user_id = $1', [eve.id])).toHaveLength(
    PUSH_LIMITS.pushSubscriptionsMax,
  )
  expect((await alice.tries(pushApi.subscribe, service.browser().subscription)).status).toBe(200)
})

test('Eve neither takes nor ends a subscription of Alice whose address she knows; who has its keys is the same browser', async () => {
  const [alice, eve] = [await open.person('alice'), await open.person('eve')]
  const { subscription } = service.browser()
  await alice.does(pushApi.subscribe, subscription)
  const { keys } = service.browser().subscription
  expect(await eve.tries(pushApi.subscribe, { ...subscription, keys })).toBeRefused(409, 'push_subscription_taken')
  expect(await eve.tries(pushApi.unsubscribe, { endpoint: subscription.endpoint })).toBeRefused(404, 'not_found')
  const owner = () => open.sql('select user_id as id from push_subscriptions where endpoint = $1', [subscription.endpoint])
  expect(await owner()).toEqual([{ id: alice.id }])
  // The same browser, where somebody else signs in after a session that was never ended.
  const bob = await open.person('bob')
  await bob.does(pushApi.subscribe, subscription)
  expect(await owner()).toEqual([{ id: bob.id }])
})

test('rubbish is no subscription, and no quiet hours', async () => {
  const eve = await open.person('eve')
  const { endpoint, keys } = service.browser().subscription
  const notOnTheCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString('base64url')
  const wrong = [
    { endpoint, keys: { ...keys, p256dh: notOnTheCurve } },
    { endpoint, keys: { ...keys, auth: 'short' } },
    { endpoint: `${endpoint}${'x'.repeat(PUSH_LIMITS.pushEndpointMax)}`, keys },
    { endpoint },
    { keys },
  ]
  for (const each of wrong) expect(await eve.tries(pushApi.subscribe, each)).toBeRefused(400, 'invalid_input')
  const hours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' }
  for (const more of [{ timeZone: 'Mars/Olympus' }, { from: '24:00' }, { to: '22:00' }, { from: 'late' }])
    expect(await eve.tries(pushApi.setQuietHours, { quietHours: { ...hours, ...more } })).toBeRefused(400, 'invalid_input')
})

test('a server that pushes nothing says so, and takes no subscription', async () => {
  const alice = await closed.person('alice')
  expect(await alice.does(pushApi.key, {})).toEqual({ key: null })
  expect(await alice.tries(pushApi.subscribe, service.browser().subscription)).toBeRefused(409, 'push_off')
})
