import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { portOf } from './world.ts'

const KEYS = { S3_ACCESS_KEY_ID: 'AKIDEXAMPLE', S3_SECRET_ACCESS_KEY: 'a secret', S3_BUCKET: 'conclave', S3_REGION: 'eu-west-1' }

/**
 * Starts a bucket in memory that speaks S3, and refuses what is not signed by its key or comes without its length. Returns its settings
 * as environment variables.
 */
export async function startFakeS3(): Promise<{ settings: Record<string, string>; close: () => void }> {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const answer = (status: number, sent?: Buffer) => response.writeHead(status).end(sent)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://bucket')
    if (!isSigned(request, pathname, searchParams)) return answer(403)
    if (request.method === 'GET') {
      if (searchParams.has('list-type')) return answer(200, Buffer.from(listOf([...objects.keys()], searchParams)))
      const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
      const found = objects.get(pathname)
      if (first === '') return found ? answer(200, found) : answer(404)
      return answer(206, found?.subarray(Number(first), Number(last) + 1))
    }
    if (request.method === 'DELETE') {
      objects.delete(pathname)
      return answer(204)
    }
    if (request.headers['content-length'] === undefined) return answer(411)
    objects.set(pathname, body)
    answer(200)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const settings = { S3_ENDPOINT: `http://127.0.0.1:${portOf(server.address())}`, ...KEYS }
  return { settings, close: () => void server.close() }
}

/** As ListObjectsV2 answers, with pages of two names. */
function listOf(paths: string[], query: URLSearchParams): string {
  const after = query.get('start-after') ?? ''
  const names = paths.map((path) => path.split('/').at(-1) ?? '').sort()
  const rest = names.filter((name) => name.startsWith(query.get('prefix') ?? '') && name > after)
  const keys = rest.slice(0, 2).map((name) => `<Contents><Key>${name}</Key><Size>1</Size></Contents>`)
  return `<ListBucketResult><IsTruncated>${rest.length > 2}</IsTruncated>${keys.join('')}</ListBucketResult>`
}

/** Checks a signature of version 4 as Amazon describes it. */
function isSigned({ method, headers }: IncomingMessage, pathname: string, query: URLSearchParams): boolean {
  const found =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\d{8})\/eu-west-1\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (!found) return false
  const [, day = '', names = '', signature] = found
  const listed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  query.sort()
  const canonical = [method, pathname, String(query), listed.join(''), names, headers['x-amz-content-sha256']].join('\n')
  const hash = createHash('sha256').update(canonical).digest('hex')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], `${day}/eu-west-1/s3/aws4_request`, hash].join('\n')
  const hmac = (key: string | Buffer, what: string) => createHmac('sha256', key).update(what).digest()
  const key = [day, 'eu-west-1', 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${KEYS.S3_SECRET_ACCESS_KEY}`)
  return hmac(key, text).toString('hex') === signature
}
