import { createHash, randomBytes } from 'node:crypto'
import { request as ask } from 'node:http'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { accountApi } from '../../../contract/account/account.ts'
import { endpoint } from '../../../contract/ground/endpoint.ts'
import { done, nothing } from '../../../contract/ground/shapes.ts'
import type { Person } from '../../testing/person.ts'
import { brokenUploads, plantEndpoints, planted } from '../../testing/planted.ts'
import { startWorld } from '../../testing/world.ts'
import { openApi } from './openapi.ts'
import { serve, serveAnyone } from './serve.ts'

const card = endpoint({
  ...{ method: 'GET', path: '/api/planted/card', access: 'signed_in', summary: 'Says a name.', input: nothing },
  output: z.object({ name: z.string(), friend: z.object({ name: z.string() }) }),
})
// As a row of the database comes: with more than the call declares.
const row = { name: 'alice', passwordHash: 'secret', friend: { name: 'bob', email: 'bob@example.org' } }
const world = await startWorld({
  plant: (app, env) => {
    plantEndpoints(app, env)
    serve(app, env, card, () => row)
  },
})
const alice = await world.person('alice')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const upload = (bytes: Uint8Array, headers: Record<string, string> = {}) =>
  alice.request('PUT', '/planted/files/photo?part=3', { body: bytes, headers })

test('an administrator calls what is for administrators, until the right ends', async () => {
  expect(await alice.tries(planted.admin, {})).toBeRefused(403, 'admin_required')
  await world.sql('update users set is_admin = true where id = $1', [alice.id])
  expect((await alice.tries(planted.admin, {})).status).toBe(200)
  await world.sql('update users set is_admin = false where id = $1', [alice.id])
  expect(await alice.tries(planted.admin, {})).toBeRefused(403, 'admin_required')
})

test('the master plan opens what is for it, and no other plan does', async () => {
  for (const tier of ['free', 'test', 'premium', 'enterprise']) {
    await world.sql('update users set subscription_tier = $1 where id = $2', [tier, alice.id])
    expect(await alice.tries(planted.master, {}), tier).toBeRefused(403, 'master_required')
  }
  await world.sql("update users set subscription_tier = 'master' where id = $1", [alice.id])
  expect((await alice.tries(planted.master, {})).status).toBe(200)
})

test('a call that wants a proof by a device, or a recent confirmation, refuses by name whoever has neither', async () => {
  const amelia = await world.person('amelia')
  await world.sql('update users set is_admin = true where id = $1', [amelia.id])
  expect((await amelia.tries(planted.device, { word: 'x' })).status).toBe(200)
  const elsewhere = await amelia.elsewhere()
  expect(await elsewhere.tries(planted.device, { word: 'x' })).toBeRefused(403, 'device_required')
  expect(await elsewhere.tries(planted.recent, { word: 'x' })).toBeRefused(403, 'device_required')
  expect(await amelia.tries(planted.recent, { word: 'x' })).toBeRefused(401, 'step_up_required')
  // Access is checked before the input.
  expect(await alice.tries(planted.recent, { word: 'x' })).toBeRefused(403, 'admin_required')
  expect((await amelia.tries(accountApi.user, {})).status).toBe(200)
})

test('a call that is open to anyone can ask for nothing more', () => {
  const call = { method: 'GET', path: '/api/x', summary: '', input: nothing, output: done } as const
  const sure = endpoint({ ...call, access: 'anyone', assurance: 'device' })
  const open = endpoint({ ...call, access: 'anyone' })
  const admin = endpoint({ ...call, access: 'admin' })
  // @ts-expect-error The call throws before it uses its app or settings.
  const unused: Parameters<typeof serve>[0] = {}
  expect(() => serveAnyone(unused, world.env, sure, () => ({}))).toThrow('/api/x needs a session')
  expect(() => serveAnyone(unused, world.env, admin, () => ({}))).toThrow('/api/x needs a session')
  expect(() => serve(unused, world.env, open, () => ({}))).toThrow('/api/x is open to anyone')
})

test('an answer has the fields that the call declares and no others, whatever the verb returns', async () => {
  const { status, body } = await alice.tries(card, {})
  expect([status, body]).toEqual([200, { name: 'alice', friend: { name: 'bob' } }])
})

test('signed bytes arrive exactly as they were sent, whatever their type says', async () => {
  const odd = Buffer.from('{ "a" : "\\u0000",\r\n "a":1e400 } \xff\x00', 'latin1')
  for (const type of ['application/json; charset=utf-8', 'text/plain', 'application/octet-stream', 'x/y']) {
    const headers = { 'content-type': type, 'x-signature': 't=1,v1=ab' }
    const { body } = await world.stranger().request('POST', '/planted/webhook', { body: odd, headers })
    expect(body).toEqual({ sizeBytes: odd.length, sha256: sha256(odd), signature: 't=1,v1=ab' })
  }
  expect(await world.stranger().request('POST', '/planted/webhook')).toMatchObject({ status: 200, body: { sizeBytes: 0 } })
})

test('a file is read while it arrives, with names from the path and the query', async () => {
  const file = randomBytes(200 * 1024)
  expect(await upload(file, { 'content-type': 'image/png' })).toMatchObject({
    status: 200,
    body: { name: 'photo', part: 3, sizeBytes: file.length, sha256: sha256(file) },
  })
  expect(await upload(new Uint8Array())).toMatchObject({ status: 200, body: { sizeBytes: 0 } })
})

test('a file above the limit is refused by name, whether or not it says its size beforehand', async () => {
  const tooMuch = randomBytes(257 * 1024)
  expect(await upload(tooMuch)).toBeRefused(413, 'too_large')
  expect(await chunked(alice, [tooMuch.subarray(0, 200_000), tooMuch.subarray(200_000)])).toMatchObject({
    status: 413,
    text: expect.stringContaining('"code":"too_large"'),
  })
  const just = randomBytes(256 * 1024)
  expect(await upload(just)).toMatchObject({ status: 200, body: { sha256: sha256(just) } })
})

test('a file that nobody wants is refused without being read, and the server goes on', async () => {
  const stranger = world.stranger()
  const file = randomBytes(250 * 1024)
  expect(await stranger.request('PUT', '/planted/files/photo', { body: file })).toBeRefused(401, 'not_signed_in')
  expect(await alice.request('PUT', '/planted/files/NOT-A-NAME', { body: file })).toBeRefused(400, 'invalid_input')
  expect(
    await alice.request('PUT', '/planted/files/photo', { body: file, headers: { origin: 'http://eve.example' } }),
  ).toBeRefused(403, 'forbidden_origin')
  expect(await upload(file)).toMatchObject({ status: 200, body: { sha256: sha256(file) } })
})

test('a file whose sender goes away ends as cut short, and leaves no incident', async () => {
  const headers = { cookie: alice.cookie ?? '', expect: '100-continue' }
  const cut = ask(`${world.url}/planted/files/photo`, { method: 'PUT', headers })
  cut.on('error', () => undefined)
  cut.once('continue', () => cut.write(randomBytes(1000), () => cut.destroy()))
  cut.flushHeaders()
  await expect
    .poll(() => brokenUploads.at(-1), { timeout: 8000 })
    .toMatchObject({ code: 'malformed_body', message: 'The body ended too early' })
  expect(world.log()).not.toContain('incident')
})

test('the document says of each call who may make it, and how its body arrives', () => {
  expect(openApi(Object.values(planted))).toMatchObject({
    paths: {
      '/api/planted/admin': { get: { 'x-access': 'admin', 'x-assurance': 'account', security: [{ session: [] }] } },
      '/api/planted/recent': {
        post: { 'x-access': 'admin', 'x-assurance': 'recent', requestBody: { content: { 'application/json': {} } } },
      },
      '/planted/webhook': { post: { 'x-access': 'anyone', requestBody: { content: { '*/*': {} } } } },
      '/planted/files/{name}': {
        put: {
          parameters: [
            { name: 'name', in: 'path' },
            { name: 'part', in: 'query' },
          ],
        },
      },
    },
  })
})

/** Posts a chunked body, without Content-Length. */
function chunked(person: Person, chunks: Uint8Array[]): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = ask(
      `${world.url}/planted/files/photo`,
      { method: 'PUT', headers: { cookie: person.cookie ?? '' } },
      (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += String(chunk)
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    call.on('error', reject)
    for (const chunk of chunks) call.write(chunk)
    call.end()
  })
}
