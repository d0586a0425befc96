import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BodyKind } from '../../../contract/ground/endpoint.ts'
import { Refusal } from '../../refuse.ts'
import { checkJsonText, refuseNulInUrl } from './input.ts'

export interface Bodies {
  json: undefined
  raw: Buffer
  /** Fails with Refusal `too_large` above the endpoint's limit. */
  stream: Readable
}

const bodies = new WeakMap<FastifyRequest, Buffer>()

/** Empty without a body. */
export const jsonBytesOf = (request: FastifyRequest): Buffer => bodies.get(request) ?? Buffer.alloc(0)

/** A key that reaches a prototype needs one of these. */
const MARKS_OF_PROTOTYPES = ['__proto__', 'constructor', '\\u']

/** Refuses large bodies, `__proto__` and NUL before any verb runs. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    bodies.set(request, body)
    try {
      done(null, readJson(body))
    } catch (error) {
      done(error instanceof Error ? error : new Error('unreadable'))
    }
  })
  app.addHook('onRequest', async (request) => refuseNulInUrl(request.url))
}

/** Throws Refusal, also for a key that reaches a prototype. */
export function readJson(bytes: Buffer): unknown {
  const json = bytes.toString()
  checkJsonText(json)
  try {
    const value: unknown = JSON.parse(json)
    if (!MARKS_OF_PROTOTYPES.some((mark) => json.includes(mark)) || !reachesPrototype(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Refusal('malformed_body')
}

/** True for `__proto__`, or `constructor` with `prototype`. */
function reachesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, each]) => key === '__proto__' || (key === 'constructor' && hasPrototype(each)) || reachesPrototype(each),
  )
}

const hasPrototype = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')

/** A separate scope keeps all other routes on JSON alone. */
export function takeBytes(app: FastifyInstance, kind: 'raw' | 'stream', add: (scope: FastifyInstance) => void): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    if (kind === 'raw') scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    else scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    add(scope)
  })
}

/** Throws Refusal if Content-Length is too large. */
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
    // Destroying the body would close the connection before the refusal is sent.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) throw new Refusal('too_large')
      yield chunk
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('malformed_body', { text: 'The body ended too early' })
  }
}
