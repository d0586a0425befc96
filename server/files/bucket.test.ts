import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { portOf } from '../testing/world.ts'
import { openBucket } from './open.ts'

const KEYS = { S3_ACCESS_KEY_ID: 'AKIDEXAMPLE', S3_SECRET_ACCESS_KEY: 'a secret', S3_BUCKET: 'conclave', S3_REGION: 'eu-west-1' }

/** A bucket in memory that speaks S3 and refuses what is not signed by its key, or comes without its length. */
const objects = new Map<string, Buffer>()
const server = createServer(async (request, response) => {
  const body = await buffer(request).catch(() => undefined)
  if (!body) return
  const answer = (status: number, sent?: Buffer) => response.writeHead(status).end(sent)
  if (!isSigned(request)) return answer(403)
  const name = request.url ?? ''
  if (request.method === 'GET') {
    const { searchParams } = new URL(name, endpoint)
    if (searchParams.has('list-type')) return answer(200, Buffer.from(listOf(searchParams)))
    const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const found = objects.get(name)
    if (first === '') return found ? answer(200, found) : answer(404)
    return answer(206, found?.subarray(Number(first), Number(last) + 1))
  }
  if (request.method === 'DELETE') {
    objects.delete(name)
    return answer(204)
  }
  if (request.headers['content-length'] === undefined) return answer(411)
  objects.set(name, body)
  answer(200)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())
const endpoint = `http://127.0.0.1:${portOf(server.address())}`

/** As ListObjectsV2 answers, with pages of two names. */
function listOf(query: URLSearchParams): string {
  const after = query.get('start-after') ?? ''
  const names = [...objects.keys()].map((name) => name.split('/').at(-1) ?? '').sort()
  const rest = names.filter((name) => name.startsWith(query.get('prefix') ?? '') && name > after)
  const keys = rest.slice(0, 2).map((name) => `<Contents><Key>${name}</Key><Size>1</Size></Contents>`)
  return `<ListBucketResult><IsTruncated>${rest.length > 2}</IsTruncated>${keys.join('')}</ListBucketResult>`
}

/** Checks a signature of version 4 as Amazon describes it. */
function isSigned({ method, url, headers }: IncomingMessage): boolean {
  const found =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\d{8})\/eu-west-1\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (!found) return false
  const [, day = '', names = '', signature] = found
  const listed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const { pathname, searchParams } = new URL(url ?? '', endpoint)
  searchParams.sort()
  const canonical = [method, pathname, String(searchParams), listed.join(''), names, headers['x-amz-content-sha256']].join('\n')
  const hash = createHash('sha256').update(canonical).digest('hex')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], `${day}/eu-west-1/s3/aws4_request`, hash].join('\n')
  const hmac = (key: string | Buffer, what: string) => createHmac('sha256', key).update(what).digest()
  const key = [day, 'eu-west-1', 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${KEYS.S3_SECRET_ACCESS_KEY}`)
  return hmac(key, text).toString('hex') === signature
}

const folder = await mkdtemp(path.join(tmpdir(), 'conclave-bucket-'))
const inFolder = await openBucket(readConfig({ CONCLAVE_DATA: folder }), folder)
const inS3 = await openBucket(readConfig({ S3_ENDPOINT: endpoint, ...KEYS }), folder)
const both = [
  ['a folder', inFolder],
  ['S3', inS3],
] as const

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251))
const piecesOf = (whole: Buffer) => Readable.from([whole.subarray(0, 100_000), whole.subarray(100_000)], { objectMode: false })

test.each(both)(
  'what %s has stored comes back, is gone after its removal, and removing it twice does no harm',
  async (_, bucket) => {
    await bucket.put('one', piecesOf(bytes), bytes.length)
    const file = await bucket.get('one')
    expect(file && (await buffer(file)).equals(bytes)).toBe(true)
    await bucket.remove('one')
    expect(await bucket.get('one')).toBeUndefined()
    await bucket.remove('one')
  },
)

test.each(both)('%s gives a range of the bytes, and lists names by their beginning', async (_, bucket) => {
  const names = Array.from({ length: 5 }, (_each, at) => `ce-${at}`)
  for (const name of [...names, 'cd-0']) await bucket.put(name, piecesOf(bytes), bytes.length)
  const range = await bucket.get('ce-1', { first: 99_990, last: 100_009 })
  expect(range && (await buffer(range)).equals(bytes.subarray(99_990, 100_010))).toBe(true)
  expect((await bucket.list('ce')).sort()).toEqual(names)
  expect(await bucket.list('c0')).toEqual([])
  for (const name of [...names, 'cd-0']) await bucket.remove(name)
})

test.each(both)('where the bytes end early or fail, %s stores nothing, and says what went wrong with them', async (_, bucket) => {
  await expect(bucket.put('short', piecesOf(bytes), bytes.length + 1)).rejects.toThrow()
  async function* failing() {
    yield Buffer.from('begun')
    throw new Error('the sender hung up')
  }
  await expect(bucket.put('failed', Readable.from(failing(), { objectMode: false }), 10)).rejects.toThrow('the sender hung up')
  for (const name of ['short', 'failed']) expect(await bucket.get(name)).toBeUndefined()
})

test('nobody but the server’s account reads the folder, and a start removes what a crash has left half written', async () => {
  const objectsFolder = path.join(folder, 'objects')
  await inFolder.put('abc', piecesOf(bytes), bytes.length)
  expect((await stat(path.join(objectsFolder, 'ab', 'abc'))).mode & 0o077).toBe(0)
  expect((await stat(objectsFolder)).mode & 0o077).toBe(0)
  const unfinished = path.join(objectsFolder, 'unfinished')
  expect(await readdir(unfinished)).toEqual([])
  await writeFile(path.join(unfinished, 'old.part'), 'half')
  await writeFile(path.join(unfinished, 'new.part'), 'half')
  await utimes(path.join(unfinished, 'old.part'), 0, 0)
  await openBucket(readConfig({ CONCLAVE_DATA: folder }), folder)
  expect(await readdir(unfinished)).toEqual(['new.part'])
})

test('a bucket that is away is said to be busy, one that refuses is a mistake of the settings', async () => {
  const away = await openBucket(readConfig({ S3_ENDPOINT: 'http://127.0.0.1:1', ...KEYS }), folder)
  await expect(away.get('one')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(away.put('one', piecesOf(bytes), bytes.length)).rejects.toMatchObject({ code: 'unavailable' })
  const wrong = { S3_ENDPOINT: endpoint, ...KEYS, S3_SECRET_ACCESS_KEY: 'another' }
  await expect((await openBucket(readConfig(wrong), folder)).get('one')).rejects.toThrow('The bucket answered 403')
})
