import { request as ask } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import type { Listener } from '../../settings/config.ts'
import { type Browser, newBrowser } from '../../testing/browser.ts'
import { cardsOf } from '../../testing/cards.ts'
import { startWorld } from '../../testing/world.ts'

const origin = 'https://chat.example.org'
const onionOrigin = `http://${'a'.repeat(56)}.onion`
/** An onion service that somebody else runs leads to the direct listener. */
const foreignOnion = `http://${'b'.repeat(56)}.onion`
const [onionHost, host] = [new URL(onionOrigin).host, new URL(origin).host]
const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [onionOrigin] }
const shared = { PUBLIC_URL: origin, ONION_URL: foreignOnion }
const world = await startWorld({ variables: { ...shared, TRUST_PROXY: '1', CARD_PROVIDER: 'sandbox' } })
const byOnion = `http://127.0.0.1:${await world.opens(onion)}`
const { free, pays } = cardsOf(world)

/** Alice, signed in by either listener. */
async function bothWays() {
  const alice = await free()
  const there = newBrowser(byOnion, onionOrigin)
  await there.does(accountApi.login, { username: alice.username, password: alice.authSecret, kdf: 1 })
  await there.proves(alice.deviceId)
  return { alice, there }
}

/** Posts with whatever headers, as no browser would let a page. */
const posts = (at: string, who: Browser, path: string, headers: Record<string, string>, body: unknown = {}) =>
  new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const type = { 'content-type': 'application/json', cookie: who.cookie ?? '' }
    const sent = ask(new URL(path, at), { method: 'POST', headers: { ...type, ...headers } }, async (answer) =>
      resolve({ status: answer.statusCode ?? 0, body: await json(answer) }),
    )
    sent.on('error', reject).end(JSON.stringify(body))
  })

/** Where the payment pages that the provider was asked for since then lead back to. */
async function returnsSince(count: number): Promise<string[]> {
  const rows = await world.sql("select body from sandbox_objects where kind = 'checkout.session' order by place")
  return rows.slice(count).flatMap(({ body }) => [Object(body).success_url, Object(body).cancel_url])
}
const begun = async () => (await returnsSince(0)).length / 2

const returnsTo = (where: string) => [`${where}/subscribe?paid=yes`, `${where}/subscribe?paid=no`]
const choice = { planType: 'premium', billingPeriod: 'monthly' }

test('a payment by card that was begun on the onion leads back to the onion, paid or not, and so does the portal; one of the clear site leads back there', async () => {
  const { alice, there } = await bothWays()
  for (const [who, where] of [
    [there, onionOrigin],
    [alice, origin],
    [there, onionOrigin],
  ] as const) {
    const before = await begun()
    await who.does(paymentsApi.checkout, { planType: 'premium', billingPeriod: 'monthly' })
    await who.does(paymentsApi.upgrade, { tier: 'premium', embedded: true })
    expect(await returnsSince(before)).toEqual([...returnsTo(where), ...returnsTo(where)])
  }
  const before = await begun()
  expect((await posts(world.url, alice, paymentsApi.checkout.path, { origin: foreignOnion }, choice)).status).toBe(200)
  expect(await returnsSince(before)).toEqual(returnsTo(foreignOnion))
  const { url } = await there.does(paymentsApi.checkout, { planType: 'premium', billingPeriod: 'monthly' })
  const paid = await pays(url)
  expect([paid.status, paid.headers.get('location')]).toEqual([303, `${onionOrigin}/subscribe?paid=yes`])
  for (const [who, where] of [
    [there, onionOrigin],
    [alice, origin],
  ] as const)
    expect(new URL((await who.does(paymentsApi.portal, {})).url).origin).toBe(where)
})

test('Eve sends the payer of one way in to the other by no Host, no forwarded header and no foreign Origin', async () => {
  const { alice, there } = await bothWays()
  const forged = (name: string) => ({
    host: name,
    'x-forwarded-host': name,
    forwarded: `host=${name}`,
    'x-forwarded-proto': 'http',
  })
  for (const [at, who, where, names] of [
    [byOnion, there, onionOrigin, [host, 'evil.example']],
    [world.url, alice, origin, [onionHost, 'evil.example']],
  ] as const)
    for (const name of names) {
      const before = await begun()
      for (const from of [{}, { origin: where }])
        expect((await posts(at, who, paymentsApi.checkout.path, { ...forged(name), ...from }, choice)).status).toBe(200)
      expect(await returnsSince(before)).toEqual([...returnsTo(where), ...returnsTo(where)])
      for (const foreign of [`https://${name}`, `http://${name}`, 'null'])
        for (const path of [paymentsApi.checkout.path, paymentsApi.upgrade.path, paymentsApi.portal.path])
          expect(await posts(at, who, path, { ...forged(name), origin: foreign }, choice)).toMatchObject({
            status: 403,
            body: { code: 'forbidden_origin' },
          })
      expect(await begun()).toBe(before + 2)
    }
})
