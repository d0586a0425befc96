import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BodyKind } from '../../contract/endpoint.ts'
import { Refusal } from '../refuse.ts'
import { checkJsonText, refuseNulInUrl } from './input.ts'

/** What a verb is given of a body that is not JSON. */
export interface Bodies {
  json: undefined
  raw: Buffer
  /** Fails with Refusal `too_large` as soon as more arrives than the endpoint allows. */
  stream: Readable
}

/** Bodies are JSON unless an endpoint says otherwise; vast ones, `__proto__` and NUL characters are refused before anything reads them. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    try {
      checkJsonText(body)
    } catch (error) {
      done(error instanceof Error ? error : new Error('unreadable'))
      return
    }
    parse(request, body, done)
  })
  app.addHook('onRequest', async (request) => refuseNulInUrl(request.url))
}

/** Adds a route whose body is no JSON, in a scope of its own: the other routes go on taking JSON alone. */
export function takeBytes(app: FastifyInstance, kind: 'raw' | 'stream', add: (scope: FastifyInstance) => void): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    if (kind === 'raw') scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    else scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    add(scope)
  })
}

/** The body as the endpoint's kind of it. Throws Refusal where it says beforehand that it is too large. */
export function bodyOf<Kind extends BodyKind>(kind: Kind | undefined, request: FastifyRequest, limitBytes: number): Bodies[Kind]
export function bodyOf(kind: BodyKind | undefined, request: FastifyRequest, limitBytes: number): Bodies[BodyKind] {
  if (kind === undefined || kind === 'json') return undefined
  if (kind === 'raw') return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new Refusal('too_large')
  return Readable.from(metered(request.raw, limitBytes), { objectMode: false })
}

async function* metered(body: Readable, limitBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  try {
    // Destroying it would cut the connection before the refusal is sent.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) throw new Refusal('too_large')
      yield chunk
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('malformed_body', { text: 'The body ended too early' })
  }
}
