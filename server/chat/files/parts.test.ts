import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { filesApi, uploaderApi } from '../../../contract/chat/files.ts'
import { paddedBytes } from '../../../contract/chat/objects.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { readConfig } from '../../settings/config.ts'
import { type Browser, newBrowser } from '../../testing/browser.ts'
import { startFakeS3 } from '../../testing/fakes3.ts'
import { fileOf, idOf, puts, reads } from '../../testing/sealed.ts'
import { startWorld } from '../../testing/world.ts'
import { openFolder } from './folder.ts'
import { openBucket } from './openBucket.ts'
import { findNamed } from './store.ts'
import { holdAwaited } from './store-parts.ts'

// All names of a bucket are 256 questions, and each test asks for them.
vi.setConfig({ testTimeout: 60_000 })

const world = await startWorld()
const { settings, close } = await startFakeS3()
afterAll(close)
const buckets = [
  ['a folder', world.env.bucket],
  ['S3', await openBucket(readConfig(settings), '')],
] as const

const FIVE = LIMITS.uploadPartMinBytes
const bytes = randomBytes(paddedBytes(2 * FIVE + 1))
const pieces = [bytes.subarray(0, FIVE), bytes.subarray(FIVE, 2 * FIVE), bytes.subarray(2 * FIVE)]

type Upload = { key: string; uploadId: string }
const begins = (who: Browser): Promise<Upload> => who.does(uploaderApi.begin, { filename: 'x', type: 'application/octet-stream' })
const signs = async (who: Browser, upload: Upload, partNumber: number) =>
  (await who.does(uploaderApi.sign, { ...upload, partNumber })).url
const sends = async (who: Browser, upload: Upload, partNumber: number, body: Uint8Array) => {
  const { status, headers } = await puts(who, await signs(who, upload, partNumber), body)
  expect(status).toBe(200)
  return { PartNumber: partNumber, ETag: headers.get('etag') ?? '' }
}
const names = async () => {
  const prefixes = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))
  return (await Promise.all(prefixes.map((prefix) => world.env.bucket.list(prefix)))).flat()
}

test('a bucket that browsers ask has a file in parts as one object, and the server answers where it lies', async () => {
  const publicUrl = `${settings.S3_ENDPOINT}/${settings.S3_BUCKET}`
  world.env.bucket = await openBucket(readConfig({ ...settings, S3_PUBLIC_URL: publicUrl }), '')
  const alice = await world.person('alice')
  const upload = await begins(alice)
  const sent = [await sends(alice, upload, 1, pieces[0] ?? bytes), await sends(alice, upload, 2, bytes.subarray(FIVE))]
  await alice.does(uploaderApi.complete, { ...upload, parts: sent })
  expect(await names()).toEqual([upload.key])
  expect(await world.sql('select from object_parts')).toEqual([])
  const path = `/objects/uploads/${upload.key}`
  expect((await reads(world.url, alice, path)).bytes.equals(bytes)).toBe(true)
  const asked = await fetch(`${world.url}${path}?from=bucket`, { headers: { cookie: alice.cookie ?? '' }, redirect: 'manual' })
  expect([asked.status, asked.headers.get('location')?.startsWith(`${publicUrl}/${upload.key}`)]).toEqual([302, true])
  await world.env.bucket.remove(upload.key)
})

test('through Tor a file comes in parts of 1 MiB, of which the server has those that came before the line broke; elsewhere they are too small', async () => {
  world.env.bucket = await openFolder(await mkdtemp(join(tmpdir(), 'conclave-objects-')))
  const origin = `http://${'a'.repeat(56)}.onion`
  const port = await world.opens({ ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [origin] })
  const onionUrl = `http://127.0.0.1:${port}`
  const alice = await world.person('alice')
  const there = newBrowser(onionUrl, origin)
  await there.does(accountApi.login, { username: alice.username, password: alice.authSecret, kdf: 1 })
  await there.proves(alice.deviceId)
  const [one, file] = [LIMITS.onionPartMinBytes, randomBytes(paddedBytes(3 * LIMITS.onionPartMinBytes + 1))]
  const partsOf = Array.from({ length: 4 }, (_, at) => file.subarray(at * one, (at + 1) * one))
  const begun = await there.does(uploaderApi.begin, {})
  expect(begun.urls).toHaveLength(11)
  for (const at of [0, 2]) expect((await puts(there, begun.urls?.[at] ?? '', partsOf[at] ?? file)).status).toBe(200)
  // The second one breaks in the middle.
  const broken = new ReadableStream({
    start(to) {
      to.enqueue(new Uint8Array(partsOf[1]?.subarray(0, one / 2) ?? []))
      to.error(new Error('The line breaks'))
    },
  })
  await expect(
    fetch(onionUrl + begun.urls?.[1], {
      ...{ method: 'PUT', body: broken, duplex: 'half' },
      headers: { cookie: there.cookie ?? '', origin, 'content-type': 'application/octet-stream', 'content-length': String(one) },
    } as RequestInit),
  ).rejects.toThrow()
  const { key, uploadId } = begun
  expect((await there.does(uploaderApi.parts, { key, uploadId })).map(({ PartNumber }) => PartNumber)).toEqual([1, 3])
  for (const at of [1, 3]) expect((await puts(there, begun.urls?.[at] ?? '', partsOf[at] ?? file)).status).toBe(200)
  const parts = (await there.does(uploaderApi.parts, { key, uploadId })).map(({ Size: _, ...part }) => part)
  expect(await alice.tries(uploaderApi.complete, { key, uploadId, parts })).toBeRefused(400, 'incomplete_upload')
  const { location } = await there.does(uploaderApi.complete, { key, uploadId, parts })
  expect((await reads(onionUrl, there, location)).bytes.equals(file)).toBe(true)
  const rest = await reads(onionUrl, there, location, { range: `bytes=${3 * one - 5}-` })
  expect([rest.status, rest.bytes.equals(file.subarray(3 * one - 5))]).toEqual([206, true])
  // Eve: no more parts than the largest file has.
  const eve = await there.does(uploaderApi.begin, {})
  for (const url of eve.urls ?? []) expect((await puts(there, url, randomBytes(10))).status).toBe(200)
  const twelfth = await there.does(uploaderApi.sign, { key: eve.key, uploadId: eve.uploadId, partNumber: 12 })
  expect(await puts(there, twelfth.url, 'x')).toBeRefused(400, 'incomplete_upload')
  // Nor more bytes on their way at once than through the direct listener, where a part may come six times.
  const again = await there.does(uploaderApi.begin, {})
  await world.sql(`insert into object_parts (id, object_id, part_number, size_bytes, state)
    select gen_random_uuid(), '${again.key}', 1, ${LIMITS.sealedFileBytes}, 'arriving' from generate_series(1, 6)`)
  expect(await puts(there, again.urls?.[0] ?? '', 'x')).toBeRefused(400, 'incomplete_upload')
})

describe.each(buckets)('with the bytes in %s', (_, bucket) => {
  beforeAll(() => {
    world.env.bucket = bucket
  })

  test('parts come in any order, one twice, are listed, and become one file that a message carries', async () => {
    const { alice, bob } = await world.people()
    const room = await alice.talksTo(bob)
    const upload = await begins(alice)
    const third = await sends(alice, upload, 30, pieces[2] ?? bytes)
    const first = await sends(alice, upload, 1, pieces[0] ?? bytes)
    await sends(alice, upload, 2, randomBytes(FIVE))
    const second = await sends(alice, upload, 2, pieces[1] ?? bytes)
    const parts = [first, second, third]
    const listed = await alice.does(uploaderApi.parts, upload)
    expect(listed).toEqual(parts.map((part, at) => ({ ...part, Size: pieces[at]?.length })))
    expect(await names()).toHaveLength(3)
    // As an uploader of S3 does it: the key in the query, the parts in the body.
    const complete = () =>
      alice.request('POST', `/s3/multipart/${upload.uploadId}/complete?key=${upload.key}`, {
        body: { parts },
        headers: { origin: alice.origin ?? '' },
      })
    const path = `/objects/uploads/${upload.key}`
    expect(await complete()).toMatchObject({ status: 200, body: { location: path } })
    expect(await complete()).toMatchObject({ status: 200, body: { location: path } })
    // Nothing was written twice: the parts are the file, and the job that compares looks for theirs.
    expect(await world.sql('select state from object_parts where object_id = $1', [upload.key])).toEqual(
      parts.map(() => ({ state: 'stored' })),
    )
    const kept = await names()
    expect(kept.length).toBe(3)
    await alice.says(room, 'x', fileOf(path, bytes.length))
    expect((await reads(world.url, bob, path)).bytes.equals(bytes)).toBe(true)
    for (const [first, last] of [
      [0, 9],
      [FIVE - 3, FIVE + 2],
      [FIVE, FIVE],
      [1, 2 * FIVE + 7],
      [2 * FIVE + 1, bytes.length - 1],
    ] as const) {
      const some = await reads(world.url, bob, path, { range: `bytes=${first}-${last}` })
      expect([some.status, some.bytes.equals(bytes.subarray(first, last + 1))]).toEqual([206, true])
    }
    for (const name of [upload.key, ...kept])
      expect((await findNamed(world.env.db, name.slice(0, 2))).get(name), name).toBe(name !== upload.key)
    const [usage] = await world.sql('select stored_bytes from file_usage where user_id = $1', [alice.id])
    expect(usage).toEqual({ stored_bytes: bytes.length })
  })

  test('the bytes of a part come while the database is asked, and none are in the bucket whole before their row is there', async () => {
    const alice = await world.person('alice')
    const upload = await begins(alice)
    const url = await signs(alice, upload, 1)
    const body = pieces[2] ?? bytes
    const { put } = bucket
    const came = { bytes: 0, isWhole: false }
    const putting = vi.spyOn(bucket, 'put').mockImplementation((name, arriving, sizeBytes) => {
      async function* watched() {
        for await (const chunk of arriving as AsyncIterable<Buffer>) {
          came.bytes += chunk.length
          yield chunk
        }
        came.isWhole = true
      }
      return put(name, Readable.from(watched(), { objectMode: false }), sizeBytes)
    })
    const before = await names()
    const answered = await world.env.db.transaction(async (tx) => {
      await holdAwaited(tx, upload.key)
      const answer = puts(alice, url, body)
      await vi.waitUntil(() => came.bytes >= body.length / 2)
      expect(await names()).toEqual(before)
      expect(came.isWhole).toBe(false)
      return { answer }
    })
    expect((await answered.answer).status).toBe(200)
    putting.mockRestore()
    expect(came.isWhole).toBe(true)
    expect(await alice.does(uploaderApi.parts, upload)).toMatchObject([{ PartNumber: 1, Size: body.length }])
    const dropped = await begins(alice)
    const late = await signs(alice, dropped, 1)
    await alice.does(uploaderApi.abort, dropped)
    expect(await puts(alice, late, body)).toBeRefused(404, 'not_found')
    expect(await names()).toHaveLength(before.length + 1)
  })

  test('a file in parts that is dropped leaves no part behind', async () => {
    const alice = await world.person('alice')
    const upload = await begins(alice)
    const parts = [await sends(alice, upload, 1, bytes)]
    await alice.does(uploaderApi.complete, { ...upload, parts })
    await alice.does(filesApi.remove, { objectId: upload.key })
    world.passes(60)
    const [row] = await world.sql('select id from object_parts where object_id = $1', [upload.key])
    await world.jobs.runDue()
    expect(await world.sql('select from object_parts where object_id = $1', [upload.key])).toEqual([])
    expect(await bucket.get(String(row?.['id']))).toBeUndefined()
  })

  test('an upload is completed by its own whole parts alone: none missing, changed, too small, or in another order', async () => {
    const alice = await world.person('alice')
    const upload = await begins(alice)
    const [one, two, three] = await Promise.all(pieces.map((piece, at) => sends(alice, upload, at + 1, piece)))
    const wrong = [
      [one, two],
      [two, one, three],
      [one, two, { PartNumber: 3, ETag: one?.ETag }],
      [one, two, { PartNumber: 4, ETag: three?.ETag }],
    ]
    for (const parts of wrong)
      expect(await alice.tries(uploaderApi.complete, { ...upload, parts })).toBeRefused(400, 'incomplete_upload')
    expect(await alice.tries(uploaderApi.complete, { ...upload, parts: [] })).toBeRefused(400)
    const small = await begins(alice)
    const tiny = [await sends(alice, small, 1, randomBytes(2048)), await sends(alice, small, 2, randomBytes(2048))]
    expect(await alice.tries(uploaderApi.complete, { ...small, parts: tiny })).toBeRefused(400, 'incomplete_upload')
    expect(
      await alice.does(uploaderApi.complete, { ...upload, parts: [one, two, three].filter((each) => each !== undefined) }),
    ).toEqual({
      location: `/objects/uploads/${upload.key}`,
    })
    expect(await alice.tries(uploaderApi.sign, { ...upload, partNumber: 1 })).toBeRefused(409, 'already_uploaded')
  })

  test('Eve: foreign uploads, 10,001 numbers, many small parts, more than the largest file, and signatures of other parts', async () => {
    const [alice, eve] = [await world.person('alice'), await world.person('eve')]
    const [hers, own] = [await begins(alice), await begins(eve)]
    const part = { PartNumber: 1, ETag: '"x"' }
    for (const upload of [hers, { ...own, key: hers.key }, { ...hers, key: own.key }]) {
      expect(await eve.tries(uploaderApi.parts, upload)).toBeRefused(404, 'not_found')
      expect(await eve.tries(uploaderApi.sign, { ...upload, partNumber: 1 })).toBeRefused(404, 'not_found')
      expect(await eve.tries(uploaderApi.complete, { ...upload, parts: [part] })).toBeRefused(404, 'not_found')
      expect(await eve.tries(uploaderApi.abort, upload)).toBeRefused(404, 'not_found')
    }
    for (const input of [
      { ...own, partNumber: 0 },
      { ...own, partNumber: LIMITS.uploadPartsMax + 1 },
      { uploadId: own.uploadId, partNumber: 1 },
      { ...own, uploadId: 'undefined', partNumber: 1 },
    ]) {
      const refused = await eve.tries(uploaderApi.sign, input)
      expect(refused).toBeRefused(400, 'invalid_input')
      expect(refused.body).toMatchObject({ error: 'Cannot sign without a key, an uploadId, and a partNumber' })
    }
    const url = await signs(eve, own, 1)
    expect(await puts(eve, url.replace('partNumber=1', 'partNumber=2'), 'x')).toBeRefused(400, 'invalid_signature')
    expect(await puts(eve, url.replace(own.key, hers.key), 'x')).toBeRefused(404, 'not_found')
    expect(await puts(alice, url, 'x')).toBeRefused(404, 'not_found')
    for (const at of [1, 2]) await sends(eve, own, at, randomBytes(FIVE))
    expect(await puts(eve, await signs(eve, own, 3), randomBytes(LIMITS.sealedFileBytes - 2 * FIVE + 1))).toBeRefused(
      413,
      'file_too_large',
    )
    await sends(eve, own, 9999, randomBytes(100))
    expect(await puts(eve, await signs(eve, own, 10_000), 'x')).toBeRefused(400, 'incomplete_upload')
    expect(await world.sql('select size_bytes from objects where id = $1', [own.key])).toEqual([{ size_bytes: 2 * FIVE + 100 }])
  })

  test('what is aborted or never completed leaves nothing', async () => {
    const alice = await world.person('alice')
    const [aborted, left] = [await begins(alice), await begins(alice)]
    for (const upload of [aborted, left]) await sends(alice, upload, 1, randomBytes(1000))
    const late = await signs(alice, aborted, 2)
    await alice.does(uploaderApi.abort, aborted)
    expect(await alice.tries(uploaderApi.parts, aborted)).toBeRefused(404, 'not_found')
    expect(await puts(alice, late, 'x')).toBeRefused(404, 'not_found')
    world.passes(60)
    await world.jobs.runDue()
    const isThere = async ({ key }: Upload) => (await world.sql('select from objects where id = $1', [key])).length > 0
    expect([await isThere(aborted), await isThere(left)]).toEqual([false, true])
    world.passes(LIMITS.uploadKeptSeconds)
    await world.jobs.runDue()
    expect(await isThere(left)).toBe(false)
    const known = (await world.sql('select id from objects union select id from object_parts')).map(({ id }) => id)
    for (const name of await names()) expect(known).toContain(name)
    expect(idOf(`/objects/uploads/${left.key}`)).toBe(left.key)
  })
})
