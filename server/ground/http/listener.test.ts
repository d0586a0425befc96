import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import type { Listener } from '../../settings/config.ts'
import { newBrowser } from '../../testing/browser.ts'
import { newPerson } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const origin = 'https://chat.example.org'
const onionOrigin = `http://${'a'.repeat(56)}.onion`
const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [onionOrigin] }

// One app behind a proxy with TLS, with an onion service on a second listener.
const world = await startWorld({ hasLimits: true, variables: { PUBLIC_URL: origin, TRUST_PROXY: '1' } })
const direct = world.url
const byOnion = `http://127.0.0.1:${await world.opens(onion)}`
const FORGED = {
  host: `${'a'.repeat(56)}.onion`,
  'x-forwarded-host': `${'a'.repeat(56)}.onion`,
  'x-forwarded-proto': 'https',
  forwarded: 'host=onion;proto=https',
  'x-ingress': 'onion',
}
const available = '/api/username-available?username=someone'

test('each listener has a cookie of its own, and its session opens nothing by the name of the other', async () => {
  const alice = await newPerson(direct, 'alice', origin)
  expect(alice.cookie).toMatch(/^__Host-conclave_session=/)
  const there = newBrowser(byOnion)
  const credentials = { username: 'alice', password: alice.authSecret, kdf: 1 as const }
  await there.does(accountApi.login, credentials)
  expect(there.cookie).toMatch(/^conclave_onion_session=/)
  // She is signed in at both listeners at the same time.
  expect(await alice.does(accountApi.user, {})).toMatchObject({ id: alice.id })
  expect(await there.does(accountApi.user, {})).toMatchObject({ id: alice.id })
  for (const [url, cookie, name] of [
    [byOnion, alice.cookie, 'conclave_onion_session'],
    [direct, there.cookie, '__Host-conclave_session'],
  ] as const)
    for (const each of [cookie, ...['', 'onion%20', '%FF', '%C3%BF'].map((head) => `${name}=${head}${cookie?.split('=')[1]}`)])
      expect(await newBrowser(url).request('GET', '/api/user', { headers: { cookie: each ?? '' } })).toBeRefused(401)
  const answer = await newBrowser(byOnion).request('POST', '/api/login', { body: credentials })
  expect(answer.headers.get('set-cookie')).not.toContain('Secure')
  const secure = await newBrowser(direct).request('POST', '/api/login', { body: credentials })
  expect(secure.headers.get('set-cookie')).toContain('Secure')
})

test('only who came by the https listener is told to stay on https, whatever the headers claim', async () => {
  for (const headers of [{}, FORGED]) {
    const secure = await newBrowser(direct).request('GET', available, { headers })
    expect(secure.headers.get('strict-transport-security')).toMatch(/^max-age=31536000/)
    const plain = await newBrowser(byOnion).request('GET', available, { headers })
    expect(plain.headers.get('strict-transport-security')).toBeNull()
    // Where no bucket and no frame is set, one signed manifest fits both.
    expect(plain.headers.get('content-security-policy')).toBe(secure.headers.get('content-security-policy'))
  }
})

test('hello says by which listener the socket came, whatever the headers claim', async () => {
  const bob = await newPerson(direct, 'bob', origin)
  const there = newBrowser(byOnion)
  await there.does(accountApi.login, { username: 'bob', password: bob.authSecret, kdf: 1 })
  for (const headers of [{}, FORGED]) {
    const [here, by] = await Promise.all([bob.opensSocket(headers), there.opensSocket(headers)])
    expect((await here.hears('hello')).data.ingress).toBe('direct')
    expect((await by.hears('hello')).data.ingress).toBe('onion')
    here.hangsUp()
    by.hangsUp()
  }
})

test('the pages of one listener may not write through the other', async () => {
  const carol = await newPerson(direct, 'carol', origin)
  const there = newBrowser(byOnion, onionOrigin)
  await there.does(accountApi.login, { username: 'carol', password: carol.authSecret, kdf: 1 })
  await there.proves(carol.deviceId)
  const says = (browser: typeof there, from: string) =>
    browser.request('POST', '/api/messages', { body: {}, headers: { ...FORGED, origin: from } })
  expect(await says(carol, origin)).toBeRefused(400, 'invalid_input')
  expect(await says(there, onionOrigin)).toBeRefused(400, 'invalid_input')
  expect(await says(carol, onionOrigin)).toBeRefused(403, 'forbidden_origin')
  expect(await says(there, origin)).toBeRefused(403, 'forbidden_origin')
  await expect(carol.opensSocket({ origin: onionOrigin })).rejects.toBeRefused(403, 'forbidden_origin')
  await expect(there.opensSocket({ origin })).rejects.toBeRefused(403, 'forbidden_origin')
})

test('X-Forwarded-For counts where a proxy stands in front, and for nothing elsewhere', async () => {
  const asks = (url: string, address: string) =>
    newBrowser(url).request('GET', available, { headers: { 'x-forwarded-for': address } })
  // A window may end among them: of two in a row, one is refused before its end.
  let last = await asks(byOnion, '203.0.113.0')
  for (let call = 1; call <= 2 * RATES.availability.points && last.status === 200; call++)
    last = await asks(byOnion, `203.0.113.${call}`)
  expect(last).toBeRefused(429, 'too_many_requests')
  expect((await asks(direct, '203.0.113.200')).status).toBe(200)
})

test('who comes by a Unix socket has no address: each connection has its own limit, all together have one, and a proxy may name an address', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'conclave-listener-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  /** A visitor with one connection that stays open. */
  const visitor = (socketPath: string) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    afterAll(() => agent.destroy())
    return (address: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { 'x-forwarded-for': address, 'content-type': 'application/json', origin: onionOrigin }
        ask({ agent, socketPath, method: 'POST', path: accountApi.salt.path, headers }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
        })
          .on('error', reject)
          .end('{"username":"someone"}')
      })
  }
  const [bare, proxied] = [path.join(folder, 'bare'), path.join(folder, 'proxied')]
  await world.opens(onion, bare)
  await world.opens({ ...onion, hasProxy: true }, proxied)
  // The clock moves to the beginning of a window, so that all calls are in one.
  world.passes(RATES.salt.seconds - ((world.env.clock().getTime() / 1000) % RATES.salt.seconds))
  const [eve, other] = [visitor(bare), visitor(bare)]
  for (let call = 0; call < RATES.salt.points; call++) expect(await eve(`203.0.113.${call}`)).toBe(200)
  expect(await eve('203.0.113.201')).toBe(429)
  expect(await other('203.0.113.201')).toBe(200)
  // Eve connects anew whenever she is refused.
  let asked = 0
  let [again, refused] = [visitor(bare), 0]
  while (refused < 20 && asked < RATES.salt.points * 40) {
    asked++
    if ((await again('203.0.113.201')) === 200) refused = 0
    else {
      refused++
      again = visitor(bare)
    }
  }
  expect(refused).toBe(20)
  expect(await visitor(proxied)('203.0.113.202')).toBe(200)
})
