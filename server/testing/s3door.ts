import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Browser } from './browser.ts'
import { refusalOf } from './fakes3.ts'
import { puts } from './sealed.ts'
import { portOf } from './world.ts'

interface Answered {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
}

/** What S3 calls the server's refusals. */
const CODES: Record<string, string> = {
  incomplete_upload: 'InvalidPart',
  not_found: 'NoSuchUpload',
  file_too_large: 'EntityTooLarge',
  range_not_satisfiable: 'InvalidRange',
}

/**
 * Lets a client of S3 reach the file store through the server's own calls, as this person: what S3 says in XML and in queries, the
 * server says in JSON at `/s3/...`. The server names files itself; the door remembers which key is which. Whatever is not signed by
 * `secret` is refused.
 */
export async function openS3Door(url: string, who: Browser, secret: string) {
  const ids = new Map<string, string>()
  const asks = async (method: string, path: string, body?: object): Promise<Answered & { json: Record<string, unknown> }> => {
    const { status, text } = await who.request(method, path, { ...(body && { body }), headers: { origin: who.origin ?? '' } })
    const json = JSON.parse(text)
    return { status, json, body: status === 200 ? '' : xml('Error', `<Code>${CODES[json.code] ?? json.code}</Code>`) }
  }
  const sends = async (asked: Awaited<ReturnType<typeof asks>>, bytes: Buffer): Promise<Answered> => {
    if (asked.status !== 200) return asked
    const { status, headers, code = '' } = await puts(who, String(asked.json['url']), new Uint8Array(bytes))
    if (status !== 200) return { status, body: xml('Error', `<Code>${CODES[code] ?? code}</Code>`) }
    return { status, headers: { etag: headers.get('etag') ?? '' } }
  }

  async function readObject(id: string, range: string | undefined): Promise<Answered> {
    const headers = { cookie: who.cookie ?? '', ...(range && { range }) }
    const found = await fetch(`${url}/objects/uploads/${id}`, { headers })
    if (found.status === 404) return { status: 404, body: xml('Error', '<Code>NoSuchKey</Code>') }
    const passed = ['content-range', 'content-length', 'etag'].flatMap((each) => {
      const value = found.headers.get(each)
      return value === null ? [] : [[each, value] as const]
    })
    return { status: found.status, headers: Object.fromEntries(passed), body: Buffer.from(await found.arrayBuffer()) }
  }

  /** A whole object, and the beginning of one in parts. */
  async function answerObject(method: string, key: string, range: string | undefined, bytes: Buffer): Promise<Answered> {
    if (method === 'GET') return await readObject(ids.get(key) ?? randomUUID(), range)
    if (method === 'DELETE') return { ...(await asks('DELETE', `/objects/uploads/${ids.get(key)}`)), status: 204 }
    const isWhole = method === 'PUT'
    const begun = await (isWhole ? asks('GET', '/s3/params') : asks('POST', '/s3/multipart', {}))
    ids.set(key, String(begun.json['key']))
    if (isWhole) return await sends(begun, bytes)
    return { ...begun, body: xml('InitiateMultipartUploadResult', `<UploadId>${begun.json['uploadId']}</UploadId>`) }
  }

  /** What is done to an upload in parts. */
  async function answerUpload(method: string, key: string, query: URLSearchParams, bytes: Buffer): Promise<Answered> {
    const [at, named] = [`/s3/multipart/${query.get('uploadId')}`, `?key=${ids.get(key)}`]
    if (method === 'PUT') return await sends(await asks('GET', `${at}/${query.get('partNumber')}${named}`), bytes)
    const isComplete = method === 'POST'
    const asked = await (isComplete
      ? asks('POST', `${at}/complete${named}`, { parts: partsIn(bytes.toString()) })
      : asks(method, at + named))
    if (asked.status !== 200) return asked
    if (method === 'DELETE') return { status: 204 }
    if (isComplete)
      return { ...asked, body: xml('CompleteMultipartUploadResult', `<Location>${asked.json['location']}</Location>`) }
    const parts = Object.values(asked.json).map((part) => `<Part>${elements(part as Record<string, unknown>)}</Part>`)
    return { ...asked, body: xml('ListPartsResult', parts.join('')) }
  }

  const answer = (method: string, { pathname, searchParams }: URL, range: string | undefined, bytes: Buffer) => {
    const key = pathname.split('/').slice(2).join('/')
    return searchParams.has('uploadId') ? answerUpload(method, key, searchParams, bytes) : answerObject(method, key, range, bytes)
  }

  const server = createServer(async (request, response) => {
    const { method = '', headers } = request
    const bytes = await buffer(request)
    const asked = new URL(request.url ?? '', 'http://bucket')
    const hash = headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD'
    const isSame = hash === 'UNSIGNED-PAYLOAD' || hash === createHash('sha256').update(bytes).digest('hex')
    const refused = refusalOf({ method, url: asked, headers }, secret) ?? (isSame ? undefined : 400)
    const given: Answered =
      refused === undefined
        ? await answer(method, asked, headers.range, bytes)
        : { status: refused, body: xml('Error', '<Code>AccessDenied</Code>') }
    response.writeHead(given.status, given.headers).end(given.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { endpoint: `http://127.0.0.1:${portOf(server.address())}`, close: () => void server.close() }
}

const xml = (name: string, content: string): string => `<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`

const partsIn = (text: string) =>
  [...text.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    PartNumber: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    ETag: (/<ETag>([^<]*)</.exec(part)?.[1] ?? '').replaceAll('&quot;', '"'),
  }))

const elements = (values: Record<string, unknown>): string =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${String(value).replaceAll('"', '&quot;')}</${name}>`)
    .join('')
