import { request as ask, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { runInNewContext } from 'node:vm'
import Stripe from 'stripe'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { accountApi } from '../../../contract/account/account.ts'
import { everyEndpoint } from '../../../contract/every.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { type Listener, readConfig } from '../../settings/config.ts'
import { newBrowser } from '../../testing/browser.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { FRAME_CODE, frameHeaders, framePage } from './frame.ts'

const origin = 'https://chat.example.org'
const FRAME = 'https://pay.example.org'
const HOST = 'pay.example.org'
const onionOrigin = `http://${'a'.repeat(56)}.onion`
const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [onionOrigin] }
const shared = { PUBLIC_URL: origin, CHECKOUT_ORIGIN: FRAME }
const world = await startWorld({ variables: { ...shared, ONION_URL: onionOrigin, CARD_PROVIDER: 'sandbox' } })
const byOnion = `http://127.0.0.1:${await world.opens(onion)}`
const { sandbox, free, tierOf, entriesOf, stateOf, holds } = cardsOf(world)

interface Answered {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Asks as a browser that came by this host. */
function asks(method: string, path: string, headers: Record<string, string> = {}, body = '', at = world.url): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = ask(new URL(path, at), { method, headers: { host: HOST, ...headers } }, async (answer) =>
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }),
    )
    sent.on('error', reject).end(body)
  })
}
const formed = async (form: Record<string, string>): Promise<{ status: number; shown: Record<string, string> }> => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, body } = await asks('POST', '/sandbox/embedded', type, new URLSearchParams(form).toString())
  return { status, shown: JSON.parse(body) }
}
const begins = (who: Person) => who.does(paymentsApi.upgrade, { tier: 'premium', embedded: true })
/** As a page of this origin asks. */
const upgrades = async (who: Person, from: string, at = world.url) => {
  const headers = { origin: from, cookie: who.cookie ?? '' }
  return await newBrowser(at).request('POST', paymentsApi.upgrade.path, { body: { tier: 'premium', embedded: true }, headers })
}

test('Alice pays in the frame by a test card: a declined one pays nothing, and the plan comes with the provider’s event', async () => {
  const alice = await free()
  const { clientSecret: secret = '', ...more } = await begins(alice)
  expect(more).toEqual({ frameUrl: `${FRAME}/checkout` })
  expect(secret).toMatch(/^cs_sandbox_\w+_secret_\w+$/)
  expect((await formed({ secret })).shown).toMatchObject({ status: 'open', price: '$1,000.00' })
  const declined = await formed({ secret, card: CARD.declined, act: 'pay' })
  expect(declined.shown).toMatchObject({ status: 'open', error: 'Your card was declined.' })
  expect((await formed({ secret, card: CARD.asksFirst, act: 'pay' })).shown).toMatchObject({ status: 'asks' })
  expect((await formed({ secret, card: CARD.asksFirst, act: 'failed' })).shown['error']).toContain('did not confirm')
  expect(await tierOf(alice)).toBe('free')
  expect((await formed({ secret, card: CARD.good, act: 'pay' })).shown).toMatchObject({ status: 'complete' })
  expect((await formed({ secret, card: CARD.good, act: 'pay' })).shown).toMatchObject({ status: 'complete' })
  expect(await tierOf(alice)).toBe('premium')
  expect(await entriesOf(alice)).toEqual([{ kind: 'payment', tier: 'premium', cents: 100_000 }])
  await holds()
})

test('the hosted page stays the usual way, and closes the form of the frame', async () => {
  const alice = await free()
  const { clientSecret: secret = '' } = await begins(alice)
  const hosted = await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect(hosted).toEqual({ checkoutUrl: expect.stringMatching(/\/sandbox\/checkout\/cs_/) })
  expect((await formed({ secret, card: CARD.good, act: 'pay' })).shown).toMatchObject({ status: 'expired' })
  expect(await tierOf(alice)).toBe('free')
  expect(await alice.does(paymentsApi.checkout, { planType: 'premium' })).toEqual({
    ...{ sessionId: expect.any(String), url: expect.any(String) },
  })
})

test('the provider is asked for a form that leads nowhere, without any address of ours', async () => {
  const alice = await free()
  const { clientSecret: secret = '' } = await begins(alice)
  const client = await world.env.card.client()
  const session = await client.checkout.sessions.retrieve(secret.split('_secret_')[0] ?? '')
  expect(session).toMatchObject({ client_secret: secret, url: null, success_url: null, status: 'open' })
  const known = { mode: 'subscription', ui_mode: 'embedded_page' } as const
  await expect(client.checkout.sessions.create({ ...known, redirect_on_completion: 'always' })).rejects.toThrow('never redirects')
})

test('Eve learns nothing of Alice’s form and opens it by no guess; what she pays by its secret is Alice’s plan', async () => {
  const [alice, eve] = [await free(), await world.person('eve', 'free')]
  const { clientSecret: secret = '' } = await begins(alice)
  const [id = '', rest = ''] = secret.split('_secret_')
  for (const guess of ['', id, `${id}_secret_`, `${id}_secret_sandbox_${'0'.repeat(24)}`, `${id}x_secret_${rest}`])
    expect((await formed({ secret: guess, card: CARD.good, act: 'pay' })).status, guess).toBe(404)
  const hers = await begins(eve)
  expect(hers.clientSecret).not.toBe(secret)
  expect(JSON.stringify([await stateOf(alice), await stateOf(eve)])).not.toContain('_secret_')
  expect(world.log()).not.toContain('_secret_')
  // Nothing of it stands at an address: neither page takes an id.
  for (const path of [`/sandbox/checkout/${id}`, `/checkout?secret=${secret}`, `/checkout/${secret}`])
    expect((await asks('POST', path, { 'content-type': 'application/x-www-form-urlencoded' }, 'act=pay')).status).toBe(404)
  expect((await eve.request('GET', `/sandbox/checkout/${id}`)).status).toBe(404)
  await formed({ secret, card: CARD.good, act: 'pay' })
  expect([await tierOf(alice), await tierOf(eve)]).toEqual(['premium', 'free'])
})

test('at the other origin there is the page and its scripts alone: every call and every page of the messenger is 404, no cookie is read or set', async () => {
  const alice = await free()
  const cookie = alice.cookie ?? ''
  const missing = [
    ...everyEndpoint.map(({ method, path }) => [method, path.replaceAll(/:\w+/g, 'x')] as const),
    ...['/', '/index.html', '/auth', '/sw.js', '/build.json', '/assets/x.js', '/robots.txt', '/sandbox/portal/x', '/ws'].map(
      (path) => ['GET', path] as const,
    ),
    ...['POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => [method, '/checkout'] as const),
  ]
  for (const host of [HOST, HOST.toUpperCase()])
    for (const [method, path] of missing) {
      const { status, headers } = await asks(method, path, { host, cookie, 'content-type': 'application/json' }, '')
      expect([status, headers['set-cookie']], `${method} ${path}`).toEqual([404, undefined])
      expect(headers['content-security-policy']).toContain("default-src 'none'")
    }
  // The call that has a way of its own past the framework.
  const message = JSON.stringify({ chatRoomId: alice.id, content: 'x', messageType: 'text' })
  const plain = { cookie, 'content-type': 'application/json', 'content-length': String(message.length) }
  expect((await asks('POST', '/api/messages', plain, message)).status).toBe(404)
  for (const path of ['/checkout', '/checkout.js', '/sandbox/stripe.js', '/sandbox/style.css']) {
    const { status, headers } = await asks('GET', path, { cookie })
    expect([status, headers['set-cookie']], path).toEqual([200, undefined])
  }
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}/ws`, { headers: { host: HOST, cookie } })
  const refused = await new Promise((resolve) => {
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode))
    socket.on('open', () => resolve('open'))
    socket.on('error', () => undefined)
  })
  expect(refused).toBe(404)
  socket.terminate()
  expect(await alice.does(accountApi.user, {})).toMatchObject({ id: alice.id })
})

test('the messenger’s origin has neither the page nor its scripts, and names the other origin for frames alone', async () => {
  for (const path of ['/checkout', '/checkout.js', '/sandbox/stripe.js', '/sandbox/embedded']) {
    const { status, headers } = await asks('GET', path, { host: 'chat.example.org' })
    expect(status, path).toBe(404)
    expect(headers['content-security-policy']).toContain(`;frame-src ${FRAME};`)
    expect(headers['content-security-policy']).toContain("script-src 'self' 'wasm-unsafe-eval';")
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  }
  expect((await asks('POST', '/sandbox/embedded', { host: 'chat.example.org' })).status).toBe(404)
  expect(readConfig({}).policy).not.toContain('frame-src')
})

test('the page may be shown by the messenger alone, and loads of the provider alone', async () => {
  const { headers, body } = await asks('GET', '/checkout')
  expect(headers['content-security-policy']).toBe(
    "default-src 'none';script-src 'self';connect-src 'self';style-src 'self';base-uri 'none';form-action 'none';" +
      `frame-ancestors ${origin}`,
  )
  expect(headers['x-frame-options']).toBeUndefined()
  expect(headers['strict-transport-security']).toBe('max-age=31536000')
  expect(body).toContain(`data-messengers="${origin}"`)
  const key = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' }
  const config = readConfig({ ...shared, ...key, ONION_URL: onionOrigin, PLANS_FOR_TEST_CARDS: 'on' })
  const policy = frameHeaders(config, 1)['content-security-policy'] ?? ''
  const sources = policy.split(/[; ]/).filter((each) => each.includes('//'))
  expect(sources.filter((source) => !/^https:\/\/(\*\.)?(\w+\.)?stripe\.com$/.test(source))).toEqual([origin])
  expect(policy).not.toMatch(/unsafe|onion/)
  const page = framePage(config, config.frame ?? { origin: '', publishableKey: '' }, 1)
  // The provider's script and the client of the server are made for one version of its interface.
  expect(page).toContain(`<script src="https://js.stripe.com/${Stripe.MAJOR_API_VERSION}/stripe.js"></script>`)
  expect(page).toContain('data-key="pk_test_1"')
  expect(page).not.toContain('sk_test')
  const local = frameHeaders(readConfig({ CHECKOUT_ORIGIN: 'http://pay.localhost:4000' }), 3000)
  expect(local['content-security-policy']).toMatch(/;frame-ancestors http:\/\/localhost:3000 http:\/\/127.0.0.1:3000$/)
})

test('whoever comes by an onion service gets the hosted page, and there is no frame by its listener', async () => {
  const alice = await free()
  const there = newBrowser(byOnion, onionOrigin)
  await there.does(accountApi.login, { username: alice.username, password: alice.authSecret, kdf: 1 })
  await there.proves(alice.deviceId)
  const answer = await there.request('POST', paymentsApi.upgrade.path, {
    body: { tier: 'premium', embedded: true },
    headers: { origin: onionOrigin },
  })
  expect(answer.body).toEqual({ checkoutUrl: expect.any(String) })
  // An onion service that is set up outside of Conclave leads to the direct listener.
  expect((await upgrades(alice, onionOrigin)).body).toEqual({ checkoutUrl: expect.any(String) })
  expect((await upgrades(alice, FRAME)).status).toBe(403)
  expect((await asks('GET', '/checkout', {}, '', byOnion)).status).toBe(404)
  expect((await upgrades(alice, origin)).body).toMatchObject({ clientSecret: expect.any(String) })
  expect(sandbox.sent.length).toBeGreaterThan(0)
})

test('the page takes the secret once, from its parent and of the messenger’s origin alone, and tells nothing but how it goes', async () => {
  const told: unknown[] = []
  const parent = { postMessage: (data: unknown, to: string) => told.push([data, to]) }
  const opened: string[] = []
  const pages: Record<string, unknown> = { done: () => undefined, take: () => undefined }
  const open = (Stripe: unknown) =>
    runInNewContext(FRAME_CODE, {
      ...{ parent, Stripe, reportError: () => undefined },
      document: { currentScript: { dataset: { key: 'pk_test_1', messengers: origin } } },
      addEventListener: (_type: string, take: unknown) => Object.assign(pages, { take }),
    })
  const says = async (message: object) => {
    if (typeof pages['take'] === 'function') pages['take'](message)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const form = { mount: (place: string) => opened.push(place) }
  open((key: string) => ({
    async createEmbeddedCheckoutPage(given: { fetchClientSecret: () => Promise<string>; onComplete: () => void }) {
      opened.push(key, await given.fetchClientSecret())
      pages['done'] = given.onComplete
      return form
    },
  }))
  const data = { clientSecret: 'cs_1_secret_2' }
  await says({ source: {}, origin, data })
  await says({ source: parent, origin: FRAME, data })
  await says({ source: parent, origin: 'https://chat.example.org.evil.org', data })
  for (const other of [null, 'cs_1', {}, { clientSecret: 1 }]) await says({ source: parent, origin, data: other })
  expect([told, opened]).toEqual([[], []])
  await says({ source: parent, origin, data })
  await says({ source: parent, origin, data: { clientSecret: 'another' } })
  expect(opened).toEqual(['pk_test_1', 'cs_1_secret_2', '#form'])
  if (typeof pages['done'] === 'function') pages['done']()
  expect(told).toEqual([
    [{ type: 'begun' }, origin],
    [{ type: 'ready' }, origin],
    [{ type: 'completed' }, origin],
  ])
  told.length = 0
  open(undefined)
  await says({ source: parent, origin, data })
  expect(told).toEqual([
    [{ type: 'begun' }, origin],
    [{ type: 'failed' }, origin],
  ])
})

test('without a second origin nothing is embedded', async () => {
  const plain = await startWorld()
  const alice = await plain.person('alice', 'free')
  expect(await alice.does(paymentsApi.upgrade, { tier: 'premium', embedded: true })).toEqual({ checkoutUrl: expect.any(String) })
  expect((await asks('GET', '/checkout', {}, '', plain.url)).status).toBe(404)
  expect((await asks('GET', '/api/health', {}, '', plain.url)).headers['content-security-policy']).not.toContain('frame-src')
})
