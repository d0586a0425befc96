import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { callsApi } from '../../../contract/chat/calls.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { everyEndpoint } from '../../../contract/every.ts'
import { healthApi } from '../../../contract/ground/health.ts'
import { PAGES } from '../../../contract/site/pages.ts'
import { newBrowser } from '../../testing/browser.ts'
import { bytes, opensLine } from '../../testing/calling.ts'
import { fakeProgram, IDLE, passesAsTor } from '../../testing/faketor.ts'
import { newPerson } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { prepareKey } from './onionKey.ts'

const clientFolder = mkdtempSync(path.join(tmpdir(), 'client-'))
for (const file of Object.values(PAGES)) if (file !== null) writeFileSync(path.join(clientFolder, file), '<main></main>')
for (const file of ['build.json', 'sw.js', 'favicon.svg']) writeFileSync(path.join(clientFolder, file), '{}')
mkdirSync(path.join(clientFolder, 'assets'))
writeFileSync(path.join(clientFolder, 'assets/app-1.js'), 'x')

const dataFolder = mkdtempSync(path.join(tmpdir(), 'o-'))
const { address } = prepareKey(path.join(dataFolder, 'onion'))
const program = fakeProgram(IDLE)
const world = await startWorld({
  clientFolder,
  releaseFolder: clientFolder,
  variables: { TOR: 'required', TURN_URLS: 'turn:relay.example.org', TURN_SECRET: 'a secret of the relay' },
  onion: { dataFolder, findProgram: () => program },
})
const onionOrigin = `http://${address}`
const byTor = await passesAsTor(path.join(dataFolder, 'tor/web'), '1:1')
const alice = await newPerson(byTor, 'alice', onionOrigin)
const bob = await newPerson(byTor, 'bob', onionOrigin)
const open = [healthApi.health, healthApi.openapi].map(({ path: each }) => each)

test.each(
  everyEndpoint.filter((each) => !open.includes(each.path)).map((each) => [`${each.method} ${each.path}`, each] as const),
)('past Tor %s is refused with the address of the onion', async (_name, { method, path: pattern }) => {
  const url = pattern.replace(/:\w+/g, randomUUID())
  for (const headers of [{}, { host: address, cookie: alice.cookie ?? '', 'x-forwarded-host': address }]) {
    const answer = await newBrowser(world.url).request(method, url, { headers, ...(method !== 'GET' && { body: {} }) })
    expect(answer).toBeRefused(403, 'tor_required')
    expect(answer.body).toMatchObject({ details: { onionAddress: address } })
    if (method === 'GET') expect((await newBrowser(world.url).request('HEAD', url, { headers })).status).toBe(403)
  }
})

test('another spelling of an address, and the short way of messages, change nothing', async () => {
  const eve = newBrowser(world.url)
  eve.cookie = alice.cookie?.replace('onion_', '')
  expect(await eve.request('GET', '/%61pi/user')).toBeRefused(403, 'tor_required')
  for (const origin of [world.url, onionOrigin])
    expect(await eve.request('POST', '/api/messages', { body: {}, headers: { origin } })).toBeRefused(403, 'tor_required')
})

test('past Tor no socket opens, by any cookie or name', async () => {
  const eve = newBrowser(world.url)
  for (const headers of [{}, { host: address, origin: onionOrigin }, { origin: world.url, cookie: alice.cookie ?? '' }])
    await expect(eve.opensSocket(headers)).rejects.toBeRefused(403, 'tor_required')
})

test('past Tor the public pages, their files and the health are answered, and name the onion', async () => {
  const visitor = newBrowser(world.url)
  const asks = (address: string) => visitor.request('GET', address, { headers: { accept: 'text/html' } })
  for (const page of [
    '/',
    '/security',
    '/register',
    '/robots.txt',
    '/build.json',
    '/sw.js',
    '/favicon.svg',
    '/assets/app-1.js',
    ...open,
  ])
    expect([page, (await asks(page)).status]).toEqual([page, 200])
  expect((await asks('/')).headers.get('onion-location')).toBe(`${onionOrigin}/`)
  expect(await visitor.does(healthApi.health, {})).toMatchObject({ onionAddress: address, isTorRequired: true })
})

test('over Tor everything goes on, but no call leaves Tor, also if the page allows it', async () => {
  expect(await alice.does(accountApi.user, {})).toMatchObject({ id: alice.id })
  const relay = { callId: randomUUID(), leavesTor: 'true' } as const
  expect(await alice.tries(callsApi.turn, relay)).toBeRefused(403, 'call_leaves_tor')
  const transfer = { transferId: randomUUID(), leavesTor: 'true' } as const
  expect(await alice.tries(callsApi.turn, transfer)).toBeRefused(403, 'transfer_leaves_tor')
  await alice.does(contactsApi.add, { username: 'bob' })
  const socket = await alice.opensSocket({ origin: onionOrigin })
  expect((await socket.hears('hello')).data).toMatchObject({ ingress: 'onion', onionAddress: address, isTorRequired: true })
  socket.hangsUp()
  const line = await opensLine(alice, alice.id)
  const signal = bytes(32)
  const offer = { callId: randomUUID(), to: bob.id, attempt: 1, callType: 'voice', signal, leavesTor: true }
  line.sends('call-offer', offer)
  expect((await line.hears('refused')).data).toMatchObject({ code: 'call_leaves_tor', id: offer.callId })
  for (const type of ['transfer-accept', 'transfer-answer'] as const) {
    const sent = { transferId: randomUUID(), to: bob.id, attempt: 1, signal, leavesTor: true }
    line.says({ type, data: sent })
    expect((await line.hears('refused')).data).toMatchObject({ code: 'transfer_leaves_tor', id: sent.transferId })
  }
})
