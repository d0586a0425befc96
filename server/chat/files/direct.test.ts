import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { filesApi, uploaderApi } from '../../../contract/chat/files.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { readConfig } from '../../settings/config.ts'
import type { Browser } from '../../testing/browser.ts'
import { signsInAt } from '../../testing/byonion.ts'
import { refusalOf, startFakeS3 } from '../../testing/fakes3.ts'
import { fileOf, idOf, pathOf, puts, reads, sealedBytes } from '../../testing/sealed.ts'
import { startWorld } from '../../testing/world.ts'
import { directFor } from './direct.ts'
import { openBucket } from './openBucket.ts'

const s3 = await startFakeS3()
afterAll(s3.close)
const publicUrl = `${s3.settings.S3_ENDPOINT}/${s3.settings.S3_BUCKET}`
const variables = { ...s3.settings, S3_PUBLIC_URL: publicUrl }
const world = await startWorld({ variables })
world.env.bucket = await openBucket(readConfig(variables), '')
const { bucket } = world.env

// Whatever a test has done: what is counted is what was announced and is stored.
afterEach(async () => {
  const wrong = await world.sql(
    `select u.id from users u left join file_usage f on f.user_id = u.id
     where u.deleted_at is null and coalesce(f.stored_bytes, 0) <> (select coalesce(sum(size_bytes), 0) from objects o
       where o.owner_id = u.id and o.kind = 'file' and o.state <> 'dropped')`,
  )
  expect(wrong).toEqual([])
})

const begins = (who: Browser, size: number) => who.does(uploaderApi.params, { size })
const finishes = (who: Browser, objectId: string) => who.tries(filesApi.finish, { objectId })
/** As a page of this server does: to another origin, without cookies. */
const putsThere = async (address: string, body: Uint8Array) => {
  const headers = { origin: world.url, 'content-type': 'application/octet-stream' }
  return await fetch(address, { method: 'PUT', headers, body: Uint8Array.from(body) })
}
const redirectOf = async (who: Browser, path: string) => {
  const init = { headers: { cookie: who.cookie ?? '' }, redirect: 'manual' } as const
  return await fetch(`${world.url}${path}?from=bucket`, init)
}
const stateOf = async (id: string) => (await world.sql('select state from objects where id = $1', [id]))[0]?.state
const waits = async (id: string) => (await bucket.direct?.waiting())?.includes(id)

/** Uploads to the bucket. Returns the file's id and bytes. */
async function uploads(who: Browser, body = sealedBytes()) {
  const { url, key } = await begins(who, body.length)
  expect((await putsThere(url, body)).status).toBe(200)
  return { url, key, body, path: `/objects/uploads/${key}` }
}

test('a file goes from the browser to the bucket and from there to who is given its message; the server looks at it once', async () => {
  const { alice, bob, eve } = await world.people()
  const room = await alice.talksTo(bob)
  const { url, key, body, path } = await uploads(alice, sealedBytes(300_000))
  expect(url.startsWith(`${publicUrl}/incoming/${key}?`)).toBe(true)
  expect((await alice.posts(room, 'x', fileOf(path, body.length))).status).toBe(400)
  s3.asked.length = 0
  expect(await finishes(alice, key)).toMatchObject({ status: 200 })
  expect(s3.asked).toEqual([`PUT /conclave/${key}`, `GET /conclave/${key}`, `DELETE /conclave/incoming/${key}`])
  expect(await finishes(alice, key)).toMatchObject({ status: 200 })
  await alice.says(room, 'x', fileOf(path, body.length))
  const hash = createHash('sha256').update(body).digest()
  expect(await world.sql('select state, size_bytes, hash from objects where id = $1', [key])).toEqual([
    { state: 'used', size_bytes: body.length, hash },
  ])
  const redirect = await redirectOf(bob, path)
  expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'no-store'])
  const there = await fetch(redirect.headers.get('location') ?? '', { headers: { origin: world.url } })
  expect(Object.fromEntries(there.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'access-control-allow-origin': '*',
  })
  expect(Buffer.from(await there.arrayBuffer()).equals(body)).toBe(true)
  // Who does not ask for the bucket reads it here, and who may not read it learns no address.
  expect((await reads(world.url, bob, path)).bytes.equals(body)).toBe(true)
  expect((await redirectOf(eve, path)).status).toBe(404)
})

test('Eve: sizes that lie, altered and expired addresses, foreign files and those that nobody has sent are refused', async () => {
  const { alice, eve } = await world.people()
  const body = sealedBytes()
  const { url, key } = await begins(alice, body.length)
  for (const size of [body.length - 1, 100])
    expect(await alice.tries(uploaderApi.params, { size })).toBeRefused(400, 'not_padded')
  for (const size of [0, -1, LIMITS.sealedFileBytes + 1])
    expect(await alice.tries(uploaderApi.params, { size })).toBeRefused(400, 'invalid_input')
  const other = await begins(alice, body.length)
  const altered = [
    url.replace(/Expires=\d+/, 'Expires=604800'),
    url.replace(key, other.key),
    url.replace('incoming/', ''),
    url.replace(/Signature=.{4}/, 'Signature=0000'),
    pathOf(url),
    `${publicUrl}/incoming/..%2f${other.key}?${url.split('?')[1]}`,
  ]
  for (const each of altered) expect((await putsThere(each, body)).status, each).toBe(403)
  for (const bytes of [body.subarray(1), Buffer.alloc(0), sealedBytes(LIMITS.fileBytes + LIMITS.sealingBytes)])
    expect((await putsThere(url, bytes)).status).toBe(403)
  expect(refusalOf({ method: 'PUT', url: new URL(url), headers: lengthOf(url, body) }, 'a secret')).toBeUndefined()
  const late = new Date(Date.now() + (LIMITS.uploadSeconds + 2) * 1000)
  expect(refusalOf({ method: 'PUT', url: new URL(url), headers: lengthOf(url, body) }, 'a secret', late)).toBe(403)
  for (const id of [key, other.key]) {
    expect(await finishes(eve, id)).toBeRefused(404, 'not_found')
    expect(await finishes(alice, id)).toBeRefused(400, 'incomplete_upload')
  }
  expect(await stateOf(key)).toBe('awaited')
  const photo = idOf((await alice.does(filesApi.upload, {})).uploadURL)
  expect(await finishes(alice, photo)).toBeRefused(404, 'not_found')
  const inParts = await alice.does(uploaderApi.begin, {})
  expect(await finishes(alice, inParts.key)).toBeRefused(400, 'incomplete_upload')
})

test('a bucket that takes other sizes than those signed makes no file of them, and keeps none of their bytes', async () => {
  const alice = await world.person('alice')
  const { key } = await begins(alice, sealedBytes().length)
  const large = sealedBytes(5_000_000)
  await bucket.put(`incoming/${key}`, Readable.from([large], { objectMode: false }), large.length)
  expect(await finishes(alice, key)).toBeRefused(400, 'incomplete_upload')
  expect(await bucket.get(key)).toBeUndefined()
  expect(await stateOf(key)).toBe('awaited')
})

test('bytes never change once the server has looked at them, and what comes later is deleted', async () => {
  const alice = await world.person('alice')
  const { url, key, body, path } = await uploads(alice)
  const answers = await Promise.all([1, 2, 3].map(() => finishes(alice, key)))
  expect(answers.map(({ status }) => status)).toContain(200)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  expect((await putsThere(url, sealedBytes())).status).toBe(200)
  expect(await finishes(alice, key)).toMatchObject({ status: 200 })
  expect((await reads(world.url, alice, path)).bytes.equals(body)).toBe(true)
  const coming = await uploads(alice)
  expect([await waits(key), await waits(coming.key)]).toEqual([true, true])
  world.passes(60)
  await world.jobs.runDue()
  expect([await waits(key), await waits(coming.key)]).toEqual([false, true])
  expect(await finishes(alice, coming.key)).toMatchObject({ status: 200 })
  // The nightly comparison asks the bucket for each of 256 beginnings of names.
}, 60_000)

test('an announced size counts at once: two tabs do not get more space than the plan has, and giving up gives it back', async () => {
  const alice = await world.person('alice')
  const size = sealedBytes(100_000).length
  await world.sql(
    "insert into plan_rights (plan, tier, version, can_send, can_call, can_share_files, has_family, messages_per_month, file_bytes, storage_bytes) values ('small', 'premium', 99, true, true, true, false, -1, 10485760, $1)",
    [size * 2],
  )
  await world.sql("update users set subscription_tier = 'small' where id = $1", [alice.id])
  const answers = await Promise.all([1, 2, 3, 4].map(() => alice.tries(uploaderApi.params, { size })))
  expect(answers.map(({ status, code }) => `${status} ${code}`).sort()).toEqual([
    ...Array<string>(2).fill('200 undefined'),
    ...Array<string>(2).fill('403 storage_limit_reached'),
  ])
  const [taken] = await world.sql('select id from objects where owner_id = $1 and size_bytes is not null', [alice.id])
  expect(await alice.tries(filesApi.remove, { objectId: String(taken?.id) })).toMatchObject({ status: 200 })
  await begins(alice, size)
})

test('when the bucket is out of reach the bytes go through the server, under the same name, and count once', async () => {
  const { alice, bob } = await world.people()
  const room = await alice.talksTo(bob)
  const body = sealedBytes()
  const { key, otherwise = '' } = await begins(alice, body.length)
  expect(otherwise.startsWith(`/objects/uploads/${key}?`)).toBe(true)
  expect(await puts(alice, otherwise, body)).toMatchObject({ status: 200 })
  await alice.says(room, 'x', fileOf(`/objects/uploads/${key}`, body.length))
  expect(await world.sql('select stored_bytes from file_usage where user_id = $1', [alice.id])).toEqual([
    { stored_bytes: body.length },
  ])
})

test('whoever comes by an onion service, or announces no size, hears of no bucket; nor does a program that asks for a photo', async () => {
  const { alice } = await world.people()
  const port = await world.opens({ ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [world.url] })
  const hidden = await signsInAt(`http://127.0.0.1:${port}`, alice, world.url)
  const body = sealedBytes()
  const answer = await begins(hidden, body.length)
  expect([answer.url.startsWith('/objects/uploads/'), answer.otherwise]).toEqual([true, undefined])
  expect(await puts(hidden, answer.url, body)).toMatchObject({ status: 200 })
  const path = pathOf(answer.url)
  expect((await reads(`http://127.0.0.1:${port}`, hidden, `${path}?from=bucket`)).bytes.equals(body)).toBe(true)
  expect((await alice.does(uploaderApi.params, {})).url).toMatch(/^\/objects/)
  const by = (host: string) => directFor(world.env, { ingress: 'direct', headers: { host } })
  const onion = `${'a'.repeat(56)}.onion`
  expect([by(onion), by(`${onion.toUpperCase()}:80`)]).toEqual([undefined, undefined])
  expect(by('chat.example.org')).toBeDefined()
})

test('a deleted account leaves nothing in the bucket, also not what was on its way', async () => {
  const alice = await world.person('alice')
  const [waiting, finished] = [await uploads(alice), await uploads(alice)]
  await finishes(alice, finished.key)
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  world.passes(60)
  await world.jobs.runDue()
  expect([await waits(waiting.key), await bucket.get(finished.key), await stateOf(waiting.key)]).toEqual([
    false,
    undefined,
    undefined,
  ])
}, 60_000)

test('every answer names the bucket in its policy, a refusal of what is no HTTP too; without a bucket for browsers none does', async () => {
  const source = `connect-src 'self' ${publicUrl}/;`
  expect((await fetch(world.url)).headers.get('content-security-policy')).toContain(source)
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.end('this is no HTTP\r\n\r\n')
  expect(await text(socket)).toContain(source)
  expect(readConfig(s3.settings).policy).toContain("connect-src 'self';")
  expect(readConfig({}).policy).toBe(readConfig(s3.settings).policy)
})

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
test('the bucket of these tests signs as Amazon’s own example does', () => {
  const url = new URL(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
  const asked = { method: 'GET', url, headers: { host: url.host } }
  expect(refusalOf(asked, secret, new Date('2013-05-24T12:00:00Z'))).toBeUndefined()
  expect(refusalOf(asked, secret, new Date('2013-05-25T00:00:01Z'))).toBe(403)
  expect(refusalOf({ ...asked, method: 'PUT' }, secret, new Date('2013-05-24T12:00:00Z'))).toBe(403)
})

const lengthOf = (url: string, body: Uint8Array) => ({ host: new URL(url).host, 'content-length': String(body.length) })
