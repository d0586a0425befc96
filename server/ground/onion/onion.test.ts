import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { pushApi } from '../../../contract/chat/push.ts'
import { healthApi } from '../../../contract/ground/health.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { PAGES } from '../../../contract/site/pages.ts'
import { newBrowser } from '../../testing/browser.ts'
import { signsInAt } from '../../testing/byonion.ts'
import { fakeProgram, IDLE, passesAsTor, serveControl } from '../../testing/faketor.ts'
import { startWorld } from '../../testing/world.ts'
import { prepareKey } from './onionKey.ts'

const clientFolder = mkdtempSync(path.join(tmpdir(), 'client-'))
for (const file of Object.values(PAGES)) if (file !== null) writeFileSync(path.join(clientFolder, file), '<main></main>')
mkdirSync(path.join(clientFolder, 'assets'))

const dataFolder = mkdtempSync(path.join(tmpdir(), 'o-'))
const { address } = prepareKey(path.join(dataFolder, 'onion'))
mkdirSync(path.join(dataFolder, 'tor'), { mode: 0o700 })
const upload = `HS_DESC UPLOADED ${address.replace('.onion', '')} UNKNOWN $${'A'.repeat(40)}~one`
const tor = await serveControl(path.join(dataFolder, 'tor/control'), { events: [upload] })
const program = fakeProgram(IDLE)
const origin = 'https://chat.example.org'
const onionOrigin = `http://${address}`
const world = await startWorld({
  clientFolder,
  hasLimits: true,
  variables: {
    PUBLIC_URL: origin,
    TRUST_PROXY: '1',
    TOR: 'auto',
    S3_PUBLIC_URL: 'https://files.example.org/sealed',
    ...{ S3_ENDPOINT: 'https://s3.example.org', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 's' },
  },
  onion: { dataFolder, findProgram: () => program },
})
const socketPath = path.join(dataFolder, 'tor/web')
await vi.waitUntil(() => world.env.onion.address(), { timeout: 20_000 })
const direct = world.url
const [one, other] = [await passesAsTor(socketPath, '1:1'), await passesAsTor(socketPath, '1:2')]
const FORGED = {
  host: 'chat.example.org',
  'x-forwarded-host': 'chat.example.org',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.7',
  forwarded: 'for=203.0.113.7;host=chat.example.org;proto=https',
}

test('tor is owned by its control connection, and the address is known once the service is published', async () => {
  expect(tor.commands).toEqual(expect.arrayContaining(['TAKEOWNERSHIP']))
  expect(world.log()).toContain(`The onion service is published: ${onionOrigin}`)
  for (const url of [direct, one])
    expect(await newBrowser(url).does(healthApi.health, {})).toMatchObject({ onionAddress: address, isTorRequired: false })
  const torrc = readFileSync(path.join(dataFolder, 'tor/torrc'), 'utf8')
  for (const line of ['SocksPort 0', 'HiddenServiceExportCircuitID haproxy', `HiddenServicePort 80 unix:${socketPath}`])
    expect(torrc.split('\n')).toContain(line)
  expect(existsSync(path.join(dataFolder, 'onion/hs_ed25519_secret_key'))).toBe(true)
})

test('on the onion the policy names no third party and no https, whatever the headers claim', async () => {
  for (const headers of [{}, FORGED])
    for (const address of ['/', '/api/user', '/api/nothing', '/robots.txt']) {
      const by = await newBrowser(one).request('GET', address, { headers: { accept: 'text/html', ...headers } })
      expect(by.headers.get('strict-transport-security')).toBeNull()
      expect(by.headers.get('onion-location')).toBeNull()
      expect(by.headers.get('content-security-policy')).not.toMatch(/example|https?:/)
    }
  const here = await newBrowser(direct).request('GET', '/', { headers: { accept: 'text/html' } })
  expect(here.headers.get('content-security-policy')).toContain('https://files.example.org/sealed/')
  // What is no HTTP is answered before any hook.
  const garbage = await newBrowser(one).request('GET', '/%zz')
  expect([garbage.status, garbage.headers.get('content-security-policy')?.includes('example')]).toEqual([400, false])
})

test('pages of the direct listener name the onion, with their path', async () => {
  const at = async (address: string) =>
    (await newBrowser(direct).request('GET', address, { headers: { accept: 'text/html' } })).headers.get('onion-location')
  expect([await at('/security'), await at('/chat/1?x=2')]).toEqual([`${onionOrigin}/security`, `${onionOrigin}/chat/1?x=2`])
  const robots = await newBrowser(one).request('GET', '/robots.txt', { headers: FORGED })
  expect(robots.text).toContain(`Sitemap: ${onionOrigin}/sitemap.xml`)
  expect(robots.text).not.toContain('example')
})

test('a cookie of one listener is none at the other, under its name or the other', async () => {
  const alice = await world.person('alice')
  const hidden = await signsInAt(one, alice, onionOrigin)
  expect([alice.cookie?.split('=')[0], hidden.cookie?.split('=')[0]]).toEqual([
    '__Host-conclave_session',
    'conclave_onion_session',
  ])
  const [token, hiddenToken] = [alice.cookie?.split('=')[1], hidden.cookie?.split('=')[1]]
  const names = ['conclave_session', '__Host-conclave_session', 'conclave_onion_session', '__Host-conclave_onion_session']
  for (const name of names) {
    for (const headers of [{}, FORGED]) {
      const [there, here] = [newBrowser(one, onionOrigin), newBrowser(direct, origin)]
      ;[there.cookie, here.cookie] = [`${name}=${token}`, `${name}=${hiddenToken}`]
      for (const thief of [there, here]) {
        expect(await thief.request('GET', '/api/user', { headers })).toBeRefused(401)
        const says = { method: 'POST', body: {}, headers: { ...headers, origin: thief.origin ?? '' } }
        expect(await thief.request('POST', '/api/messages', says)).toBeRefused(401)
        await expect(thief.opensSocket({ ...headers, origin: thief.origin ?? '' })).rejects.toBeRefused(401)
      }
    }
  }
  expect(await hidden.does(accountApi.user, {})).toMatchObject({ id: alice.id })
  expect(await alice.does(accountApi.user, {})).toMatchObject({ id: alice.id })
})

test('the page of one listener writes nothing through the other, and hello says by which the socket came', async () => {
  const bob = await world.person('bob')
  const hidden = await signsInAt(one, bob, onionOrigin)
  const writes = (who: typeof hidden, from: string) =>
    who.request('POST', '/api/messages', { body: {}, headers: { ...FORGED, origin: from } })
  expect(await writes(hidden, onionOrigin)).toBeRefused(400, 'invalid_input')
  for (const [who, from] of [
    [hidden, origin],
    [hidden, one],
    [hidden, 'http://localhost'],
    [bob, onionOrigin],
  ] as const) {
    expect(await writes(who, from)).toBeRefused(403, 'forbidden_origin')
    await expect(who.opensSocket({ ...FORGED, origin: from })).rejects.toBeRefused(403, 'forbidden_origin')
  }
  for (const [who, ingress] of [
    [hidden, 'onion'],
    [bob, 'direct'],
  ] as const) {
    const socket = await who.opensSocket({ ...FORGED, host: `${'a'.repeat(56)}.onion` })
    expect((await socket.hears('hello')).data).toMatchObject({ ingress, onionAddress: address, isTorRequired: false })
    socket.hangsUp()
  }
})

test('rates on the onion count by circuit, and no header names another caller', async () => {
  const available = '/api/username-available?username=someone'
  const asks = (url: string, from: string) =>
    newBrowser(url).request('GET', available, { headers: { ...FORGED, 'x-forwarded-for': from } })
  world.passes(RATES.availability.seconds - ((world.env.clock().getTime() / 1000) % RATES.availability.seconds))
  for (let call = 0; call < RATES.availability.points; call++) expect((await asks(one, `203.0.113.${call}`)).status).toBe(200)
  expect(await asks(one, '203.0.113.201')).toBeRefused(429, 'too_many_requests')
  expect((await asks(other, '203.0.113.201')).status).toBe(200)
  expect((await asks(direct, '203.0.113.201')).status).toBe(200)
})

test('on the onion no push service is asked: there is no key, and a subscription is refused', async () => {
  const carol = await world.person('carol')
  const hidden = await signsInAt(one, carol, onionOrigin)
  expect(await hidden.does(pushApi.key, {})).toEqual({ key: null })
  expect((await carol.does(pushApi.key, {})).key).not.toBeNull()
  const keys = { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) }
  expect(await hidden.tries(pushApi.subscribe, { endpoint: 'https://push.example.org/x', keys })).toBeRefused(409, 'push_off')
})
