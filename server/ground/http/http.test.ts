import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { CONTRACT_VERSION, LIMITS } from '../../../contract/ground/limits.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const { alice, bob } = await world.people()
const origin = world.url
const room = await alice.talksTo(bob)
const post = (body: string, headers: Record<string, string> = {}) => alice.request('POST', '/api/messages', { body, headers })
const draft = (content: string) => ({ chatRoomId: room, content, messageType: 'text' })

test('health says that the database answers', async () => {
  expect((await alice.request('GET', '/api/health')).body).toEqual({
    status: 'ok',
    database: 'ok',
    contractVersion: CONTRACT_VERSION,
    onionAddress: null,
    isTorRequired: false,
  })
})

test('the OpenAPI document names every call, its fields and its refusals', async () => {
  const { body } = await alice.request('GET', '/api/openapi.json')
  expect(body).toMatchObject({
    openapi: '3.1.0',
    paths: {
      '/api/messages': { get: { security: [{ session: [] }] }, post: { requestBody: {} } },
      '/api/rooms/{chatRoomId}/log': { get: { parameters: [{ name: 'chatRoomId', in: 'path', required: true }, {}, {}] } },
      '/api/login': { post: { responses: { 200: {}, default: {} } } },
    },
  })
})

test.each([
  ['a body that is cut short', '{"content": "x', {}, 400, 'malformed_body'],
  ['an empty body', '', {}, 400, 'malformed_body'],
  ['a list instead of an object', '[]', {}, 400, 'invalid_input'],
  ['a poisoned prototype', '{"__proto__": {"isAdmin": true}}', {}, 400, 'malformed_body'],
  ['a poisoned constructor', '{"constructor": {"prototype": {"isAdmin": true}}}', {}, 400, 'malformed_body'],
  [
    'another type of content',
    'content=x',
    { 'content-type': 'application/x-www-form-urlencoded' },
    415,
    'unsupported_media_type',
  ],
  ['plain text', 'hello', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ['missing fields', '{}', {}, 400, 'invalid_input'],
  ['a body above the limit', `{"content": "${'x'.repeat(LIMITS.bodyBytes)}"}`, {}, 413, 'too_large'],
] as const)('%s is refused by name', async (_what, body, headers, status, code) => {
  expect(await post(body, headers)).toBeRefused(status, code)
})

test.each([
  ['GET', '/api/nothing-here', 404, 'not_found'],
  ['POST', '/api/nothing-here', 404, 'not_found'],
  ['DELETE', '/api/messages', 405, 'method_not_allowed'],
  ['GET', '/api/messages/%zz', 400, 'malformed_url'],
  ['GET', '/api/messages?chatRoomId=%00', 400, 'invalid_input'],
  ['GET', `/api/rooms/${'x'.repeat(300)}/log`, 404, 'not_found'],
] as const)('%s %s is refused by name', async (method, path, status, code) => {
  expect(await alice.request(method, path)).toBeRefused(status, code)
})

test('a wrong field is refused in the words of the contract, with the place', async () => {
  expect((await post(JSON.stringify(draft('   ')))).body).toEqual({
    error: 'A message cannot be empty',
    code: 'invalid_input',
    details: [{ path: 'content', message: 'A message cannot be empty' }],
  })
})

test('a NUL character is refused before the database sees it; the same six letters are a text', async () => {
  expect(await post(JSON.stringify(draft('a\0b')))).toBeRefused(400, 'invalid_input')
  expect((await post(JSON.stringify(draft('a\\u0000b')))).status).toBe(200)
})

test('what is not even HTTP is answered with JSON and the policy, at each listener', async () => {
  const onion = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [] } as const
  for (const port of [Number(new URL(world.url).port), await world.opens(onion)]) {
    const socket = createConnection(port, '127.0.0.1')
    socket.write('NONSENSE\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*content-security-policy: [\s\S]*"code":"malformed_url"/)
  }
})

test('a mistake of ours is a 500 with an incident, and neither answer nor log repeats what was written', async () => {
  const hub = world.env.hub.publishMessage
  world.env.hub.publishMessage = () => {
    throw new TypeError('canary-in-the-message')
  }
  const answer = await alice.posts(room, 'canary-in-the-content')
  world.env.hub.publishMessage = hub
  expect(answer).toBeRefused(500, 'internal')
  expect(answer.body).toMatchObject({ incidentId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(world.log()).toContain(JSON.stringify(answer.body).slice(-39, -2))
  expect(world.log()).toContain('"route":"/api/messages"')
  expect(world.log()).not.toMatch(/canary-in-the|127\.0\.0\.1|alice/)
})

test('who loses a deadlock is told to try again, and the log has it', async () => {
  const hub = world.env.hub.publishMessage
  world.env.hub.publishMessage = () => {
    throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  }
  const answer = await alice.posts(room, 'hello')
  world.env.hub.publishMessage = hub
  expect(answer).toBeRefused(503, 'unavailable')
  expect(world.log()).toContain('"code":"40P01"')
})

test('writes come from a listed origin or from a program; reads from anywhere', async () => {
  const says = (headers: Record<string, string>) => alice.request('POST', '/api/logout', { body: {}, headers })
  const eve = 'http://eve.example'
  expect(await says({ origin: eve })).toBeRefused(403, 'forbidden_origin')
  expect(await says({ origin: 'null' })).toBeRefused(403, 'forbidden_origin')
  expect(await says({ origin: `${origin}.eve.example` })).toBeRefused(403, 'forbidden_origin')
  expect(await says({ 'sec-fetch-site': 'cross-site' })).toBeRefused(403, 'forbidden_origin')
  expect((await alice.request('GET', '/api/user', { headers: { origin: eve } })).status).toBe(200)
  const other = await world.person('other')
  expect(
    (await other.request('POST', '/api/logout', { body: {}, headers: { origin: origin.replace('127.0.0.1', 'localhost') } }))
      .status,
  ).toBe(200)
})

test('an answer that has not changed is 304 without a body, until it changes', async () => {
  const first = await bob.request('GET', '/api/contacts')
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[\w-]{22}"$/)
  const again = await bob.request('GET', '/api/contacts', { headers: { 'if-none-match': `W/${etag}, "x"` } })
  expect(again).toMatchObject({ status: 304, text: '' })
  await alice.says(room, 'news')
  expect((await bob.request('GET', '/api/contacts', { headers: { 'if-none-match': etag } })).status).toBe(200)
})

test('a refusal has the same headers as every other answer', async () => {
  const fine = await alice.request('GET', '/api/user')
  for (const path of ['/api/nothing-here', '/nowhere', '/api/messages']) {
    const { headers } = await alice.request('DELETE', path)
    for (const name of ['content-security-policy', 'permissions-policy', 'cache-control', 'x-content-type-options'])
      expect(headers.get(name), `${path} ${name}`).toBe(fine.headers.get(name))
  }
})

test('the own pages may use camera, microphone and screen; no other page may, and nobody may pay or read where a person is', async () => {
  const { headers } = await alice.request('GET', '/api/user')
  const allowed = new Map(
    (headers.get('permissions-policy') ?? '').split(', ').map((each) => each.split('=') as [string, string]),
  )
  for (const name of ['camera', 'display-capture', 'microphone']) expect(allowed.get(name), name).toBe('(self)')
  for (const name of ['geolocation', 'payment', 'usb']) expect(allowed.get(name), name).toBe('()')
})

test('no cache keeps what the API answers, and no site may frame or read it', async () => {
  const { headers } = await alice.request('GET', '/api/user')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none';.*frame-ancestors 'none';.*trusted-types conclave$/)
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  expect(headers.get('strict-transport-security')).toBeNull()
  expect((await alice.tries(accountApi.user, {})).status).toBe(200)
})

test('one request cannot hold the server up: what has too many members is refused before it is read, in a short answer', async () => {
  const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, 'x']))
  const commits = `/api/rooms/${room}/commits`
  const answer = await alice.request('POST', commits, { body: { manifestVersions: keys } })
  expect(answer).toBeRefused(400, 'invalid_input')
  expect(answer.text.length).toBeLessThan(300)
  // The same limits hold inside a signed document, which is a string until its signature is verified.
  const content = JSON.stringify({ removed: Array.from({ length: 20_000 }, (_, at) => at) })
  const document = { content, signature: '' }
  const keyring = await alice.request('POST', '/api/devices', {
    body: {
      keyring: document,
      manifest: document,
      deviceId: alice.deviceId,
      proof: Buffer.alloc(64).toString('base64'),
      keyPackages: { oneTime: [] },
    },
  })
  expect(keyring).toBeRefused(400, 'invalid_input')
  expect(keyring.text).toContain('too many members')
})

test('an input that is wrong in a thousand places is told of twenty, and repeats none of it at length', async () => {
  const wrong = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${'long'.repeat(100)}${at}`, 'x']))
  const answer = await alice.request('POST', `/api/rooms/${room}/commits`, { body: { manifestVersions: wrong } })
  expect(answer).toBeRefused(400, 'invalid_input')
  expect(answer.body).toMatchObject({ details: expect.any(Array) })
  expect((answer.body as { details: unknown[] }).details).toHaveLength(20)
  expect(answer.text.length).toBeLessThan(10_000)
})
