import { createHash, createHmac } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request as openRequest } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import S3rver from 's3rver'
import { portOf } from './world.ts'

/** The key that s3rver knows. It checks no signature of version 4, which is why all requests are checked here. */
const KEYS = { S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'a secret', S3_BUCKET: 'conclave', S3_REGION: 'eu-west-1' }

const CORS = `<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>
  <AllowedMethod>PUT</AllowedMethod><AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader></CORSRule></CORSConfiguration>`

interface FakeS3 {
  /** As environment variables. */
  settings: Record<'S3_ENDPOINT' | keyof typeof KEYS, string>
  /** The requests that were let in, such as `PUT /conclave/name`. */
  asked: string[]
  close: () => void
}

/**
 * Starts s3rver, a bucket that speaks S3, behind a check of signatures: whatever is not signed by its key, has expired or comes without
 * its length is refused. It lists two names a page.
 */
export async function startFakeS3(): Promise<FakeS3> {
  const directory = await mkdtemp(path.join(tmpdir(), 'conclave-s3-'))
  const buckets = [{ name: KEYS.S3_BUCKET, configs: [CORS] }]
  const s3rver = new S3rver({ directory, silent: true, port: 0, address: '127.0.0.1', configureBuckets: buckets })
  const { port } = await s3rver.run()
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    // As with Amazon, a body that breaks off stores nothing.
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const { method = '', headers } = request
    const url = new URL(request.url ?? '', 'http://bucket')
    const refused = method === 'OPTIONS' ? undefined : refusalOf({ method, url, headers }, KEYS.S3_SECRET_ACCESS_KEY)
    if (refused !== undefined) return void response.writeHead(refused).end()
    asked.push(`${method} ${url.pathname}`)
    const passed = openRequest({ host: '127.0.0.1', port, method, headers, path: request.url })
    passed.once('response', async (answer) => {
      if (url.searchParams.has('list-type')) return void response.end(firstPage((await buffer(answer)).toString()))
      answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers))
    })
    passed.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const settings = { S3_ENDPOINT: `http://127.0.0.1:${portOf(server.address())}`, ...KEYS }
  return { settings, asked, close: () => void [server.close(), s3rver.close()] }
}

/** Of all names the first two: s3rver asks OpenSSL for a cipher that is gone to say that there are more. */
function firstPage(all: string): string {
  const contents = all.match(/<Contents>.*?<\/Contents>/gs) ?? []
  const page = contents.slice(2).reduce((text, each) => text.replace(each, ''), all)
  return page.replace(/(<IsTruncated>)\w+/, `$1${contents.length > 2}`)
}

interface Signed {
  method: string
  url: URL
  headers: IncomingHttpHeaders
}

/** The status with which Amazon refuses this request; undefined if it is right. */
export function refusalOf({ method, url, headers }: Signed, secret: string, now = new Date()): number | undefined {
  const query = new URLSearchParams(url.search)
  const found = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  )
  const isQuery = query.has('X-Amz-Signature')
  const [credential = '', names = '', signature] = isQuery
    ? ['Credential', 'SignedHeaders', 'Signature'].map((name) => query.get(`X-Amz-${name}`) ?? '')
    : (found?.slice(1) ?? [])
  const date = isQuery ? query.get('X-Amz-Date') : headers['x-amz-date']?.toString()
  if (!date || signature === undefined) return 403
  if (isQuery && now.getTime() > timeOf(date) + Number(query.get('X-Amz-Expires')) * 1000) return 403
  query.delete('X-Amz-Signature')
  query.sort()
  // As Amazon encodes: a space is %20.
  const pairs = [...query].map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const listed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const body = isQuery ? 'UNSIGNED-PAYLOAD' : headers['x-amz-content-sha256']
  const canonical = [method, url.pathname, pairs, listed.join(''), names, body].join('\n')
  const [, ...scope] = credential.split('/')
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), createHash('sha256').update(canonical).digest('hex')].join('\n')
  const hmac = (key: string | Buffer, what: string) => createHmac('sha256', key).update(what).digest()
  const right = hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secret}`), text).toString('hex')
  if (right !== signature) return 403
  return method === 'PUT' && headers['content-length'] === undefined && !headers['x-amz-copy-source'] ? 411 : undefined
}

const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
