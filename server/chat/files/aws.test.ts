import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { paddedBytes } from '../../../contract/chat/objects.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { readConfig } from '../../settings/config.ts'
import { loadSdk } from '../../testing/aws.ts'
import { startFakeS3 } from '../../testing/fakes3.ts'
import { openS3Door } from '../../testing/s3door.ts'
import { sealedBytes } from '../../testing/sealed.ts'
import { portOf, startWorld } from '../../testing/world.ts'
import { openBucket } from './openBucket.ts'

// AWS's SDK is a client that knows nothing of ours. It speaks to the embedded store through its own calls, and to s3rver.
const sdk = loadSdk()
const world = sdk && (await startWorld())
const fake = await startFakeS3()
const { settings } = fake
const credentials = { accessKeyId: settings.S3_ACCESS_KEY_ID, secretAccessKey: settings.S3_SECRET_ACCESS_KEY }
const door = world && (await openS3Door(world.url, await world.person('alice'), credentials.secretAccessKey))
afterAll(() => {
  door?.close()
  fake.close()
})

const Bucket = settings.S3_BUCKET
const stores = [
  ['the embedded store', door?.endpoint],
  ['s3rver', settings.S3_ENDPOINT],
] as const
const FIVE = LIMITS.uploadPartMinBytes

function openClient(endpoint: string | undefined, keys = credentials) {
  if (!sdk) throw new Error('AWS’s SDK is not there')
  const client = new sdk.client.S3Client({
    ...{ endpoint, credentials: keys, region: settings.S3_REGION, forcePathStyle: true, maxAttempts: 1 },
  })
  const commandOf = (name: string, input: object) => {
    const Command = sdk.client[`${name}Command`]
    if (!Command) throw new Error(`There is no command ${name}`)
    return new Command({ Bucket, ...input })
  }
  return {
    /** Sends a command of the SDK, such as PutObject. */
    asks: (name: string, input: object) => client.send(commandOf(name, input)),
    /** The address that the SDK signs for a command. */
    signs: (name: string, input: object, options: object = {}) =>
      sdk.presigner.getSignedUrl(client, commandOf(name, input), { expiresIn: 900, ...options }),
  }
}

const bytesOf = async ({ Body }: Record<string, unknown>) =>
  Buffer.from(await (Body as { transformToByteArray(): Promise<Uint8Array> }).transformToByteArray())
const refused = (status: number, name?: string) => ({ $metadata: { httpStatusCode: status }, ...(name && { name }) })

describe.skipIf(!sdk).each(stores)('AWS’s SDK at %s', (_, endpoint) => {
  test('what it puts comes back whole and by a range, and is gone when it has deleted it', async () => {
    const { asks } = openClient(endpoint)
    const [Key, Body] = ['one', sealedBytes()]
    expect((await asks('PutObject', { Key, Body })).ETag).toMatch(/^"[\w-]+"$/)
    expect((await bytesOf(await asks('GetObject', { Key }))).equals(Body)).toBe(true)
    const range = await asks('GetObject', { Key, Range: 'bytes=100-299' })
    expect(range).toMatchObject({ ContentLength: 200, ContentRange: `bytes 100-299/${Body.length}` })
    expect((await bytesOf(range)).equals(Body.subarray(100, 300))).toBe(true)
    await asks('DeleteObject', { Key })
    await expect(asks('GetObject', { Key })).rejects.toMatchObject(refused(404, 'NoSuchKey'))
  })

  test('it sends parts, one of them twice, and the file is theirs in their order', async () => {
    const { asks } = openClient(endpoint)
    const Key = 'parts'
    const { UploadId } = await asks('CreateMultipartUpload', { Key })
    const whole = randomBytes(paddedBytes(FIVE + 1))
    const pieces = [whole.subarray(0, FIVE), whole.subarray(FIVE)]
    await asks('UploadPart', { Key, UploadId, PartNumber: 1, Body: randomBytes(1000) })
    const Parts: { PartNumber: number; ETag: unknown }[] = []
    for (const [at, Body] of pieces.entries()) {
      const { ETag } = await asks('UploadPart', { Key, UploadId, PartNumber: at + 1, Body })
      Parts.push({ PartNumber: at + 1, ETag })
    }
    await asks('CompleteMultipartUpload', { Key, UploadId, MultipartUpload: { Parts } })
    expect((await bytesOf(await asks('GetObject', { Key }))).equals(whole)).toBe(true)
  })

  test('addresses that it has signed take and answer bytes; Eve changes one, waits too long or signs with another key', async () => {
    const { asks, signs } = openClient(endpoint)
    const [Key, body] = ['signed', sealedBytes()]
    const puts = async (address: string, method = 'PUT') => (await fetch(address, { method, body: new Uint8Array(body) })).status
    const address = await signs('PutObject', { Key })
    expect(await puts(address.replace('/signed', '/other'))).toBe(403)
    expect(await puts(address, 'POST')).toBe(403)
    expect(await puts(address.replace('Expires=900', 'Expires=9000'))).toBe(403)
    const signingDate = new Date(Date.now() - 901_000)
    expect(await puts(await signs('PutObject', { Key }, { signingDate }))).toBe(403)
    const thief = openClient(endpoint, { ...credentials, secretAccessKey: 'guessed' })
    expect(await puts(await thief.signs('PutObject', { Key }))).toBe(403)
    await expect(thief.asks('PutObject', { Key, Body: body })).rejects.toMatchObject(refused(403))
    await expect(asks('GetObject', { Key })).rejects.toMatchObject(refused(404))
    expect(await puts(address)).toBe(200)
    const answer = await fetch(await signs('GetObject', { Key }), { headers: { range: 'bytes=5-9' } })
    expect([answer.status, Buffer.from(await answer.arrayBuffer())]).toEqual([206, body.subarray(5, 10)])
  })
})

// s3rver has neither of these calls.
test.skipIf(!sdk)('AWS’s SDK at the embedded store lists parts, aborts, and reads why an upload is not completed', async () => {
  const { asks } = openClient(door?.endpoint)
  const Key = 'aborted'
  const { UploadId } = await asks('CreateMultipartUpload', { Key })
  const upload = { Key, UploadId }
  const { ETag } = await asks('UploadPart', { ...upload, PartNumber: 7, Body: randomBytes(1000) })
  expect((await asks('ListParts', upload)).Parts).toEqual([{ PartNumber: 7, Size: 1000, ETag }])
  for (const Parts of [[{ PartNumber: 7, ETag: '"another"' }], [{ PartNumber: 8, ETag }]])
    await expect(asks('CompleteMultipartUpload', { ...upload, MultipartUpload: { Parts } })).rejects.toMatchObject(
      refused(400, 'InvalidPart'),
    )
  await asks('AbortMultipartUpload', upload)
  await expect(asks('ListParts', upload)).rejects.toMatchObject(refused(404, 'NoSuchUpload'))
  await expect(asks('UploadPart', { ...upload, PartNumber: 1, Body: randomBytes(10) })).rejects.toMatchObject(refused(404))
})

describe.skipIf(!sdk)('AWS’s signer', () => {
  const signer = () => {
    if (!sdk) throw new Error('AWS’s SDK is not there')
    const region = settings.S3_REGION
    const { sha256 } = new sdk.client.S3Client({ credentials, region }).config
    return new sdk.signature.SignatureV4({ credentials, sha256, region, service: 's3', uriEscapePath: false })
  }
  const requestOf = (
    method: string,
    { protocol, hostname, port, pathname, searchParams }: URL,
    headers: Record<string, string>,
  ) => ({
    ...{ method, protocol, hostname, port: Number(port), path: pathname, headers },
    query: Object.fromEntries([...searchParams].filter(([name]) => !name.startsWith('X-Amz-'))),
  })
  const dateOf = (text: string) => new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

  test('signs the addresses for browsers as we do: one that takes so many bytes, and one that answers them', async () => {
    const bucket = await openBucket(readConfig({ ...settings, S3_PUBLIC_URL: 'https://files.example.org/bucket' }), '')
    for (const [method, address = '', more] of [
      ['PUT', await bucket.direct?.putAddress('name', 1234), { 'content-length': '1234' }],
      ['GET', await bucket.direct?.getAddress('name'), {}],
    ] as const) {
      const url = new URL(address)
      const given = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? ''
      // A body that it cannot read is none that it signs.
      const request = { ...requestOf(method, url, { host: url.host, ...more }), body: {} }
      const { query } = await signer().presign(request, {
        ...{ signingDate: dateOf(given('Date')), expiresIn: Number(given('Expires')) },
        ...{ unhoistableHeaders: new Set(['content-length']), signableHeaders: new Set(Object.keys({ host: '', ...more })) },
      })
      for (const name of ['SignedHeaders', 'Credential', 'Signature']) expect(given(name), name).toBe(query[`X-Amz-${name}`])
    }
  })

  test('signs the requests of the server as we do', async () => {
    const seen: { method: string; url: string; headers: IncomingHttpHeaders }[] = []
    const server = createServer((request, response) => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers })
      request.resume().once('end', () => response.end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${portOf(server.address())}`
    const bucket = await openBucket(readConfig({ ...settings, S3_ENDPOINT: endpoint }), '')
    await bucket.get('some-name', { first: 1, last: 2 })
    await bucket.list('ab')
    await bucket.remove('some-name')
    server.close()
    expect(seen).toHaveLength(3)
    for (const { method, url, headers } of seen) {
      const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? []
      const signed = Object.fromEntries(names.split(';').map((name) => [name, String(headers[name])]))
      const { headers: right } = await signer().sign(requestOf(method, new URL(endpoint + url), signed), {
        ...{ signingDate: dateOf(String(headers['x-amz-date'])), signableHeaders: new Set(names.split(';')) },
      })
      expect(headers.authorization).toBe(right['authorization'])
    }
  })
})
