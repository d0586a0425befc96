import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { BodyKind, Endpoint } from '../../../contract/ground/endpoint.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Listener } from '../../settings/config.ts'
import { requireAccess } from './access.ts'
import { callerKey } from './address.ts'
import { type Bodies, bodyOf, jsonBytesOf, takeBytes } from './body.ts'
import { type Bytes, type Elsewhere, sendBytes } from './bytes.ts'
import { clearToken, readBrowserHash, readSessionHash, writeBrowser, writeToken } from './cookie.ts'
import { flatten, parseInput } from './input.ts'
import { takeRates } from './limits.ts'
import { listenerOf, ownOrigin } from './listener.ts'
import { isForPeople } from './torOnly.ts'

/** Costly parts are functions: few verbs need them. */
export interface Caller<Kind extends BodyKind = BodyKind> {
  /** Key of rate limits (`callerKey`). */
  addressKey(): string
  /** Names are in lower case. */
  headers: IncomingHttpHeaders
  /** undefined for a JSON body. */
  body: Bodies[Kind]
  /** Returns the JSON body as sent, for a signature, and its fields. */
  posted(): { bytes: Buffer; fields: Record<string, unknown> }
  ingress: Listener['ingress']
  /** The page's, if this listener's. */
  origin(): string
  /** SHA-256 (hex) of the browser's cookie; undefined without one. */
  browserHash(): string | undefined
  /** Renews the browser's cookie and returns its SHA-256 (hex). */
  markBrowser(): string
  setSession(token: string, expiresAt: Date): void
  clearSession(): void
  setEtag(tag: string): void
  /** RFC 8288. */
  setNext(path: string): void
}

export interface Visitor<Kind extends BodyKind = BodyKind> extends Caller<Kind> {
  /** undefined without a live session. */
  session(): Promise<SignedInUser | undefined>
}

interface Options {
  /** Answers 304 to a current ETag. */
  hasEtag?: boolean
  /** Says the same to everybody, for so long. */
  cachedSeconds?: number
}

type Answer<Out extends z.ZodType> = z.input<Out> | Promise<z.input<Out>>

/** Requires a session. Undeclared fields are not sent. */
export function serve<In extends z.ZodType, Out extends z.ZodType, Kind extends BodyKind>(
  app: FastifyInstance,
  env: Env,
  endpoint: Endpoint<In, Out, Kind>,
  act: (user: SignedInUser, input: z.output<In>, caller: Caller<Kind>) => Answer<Out>,
  options: Options = {},
): void {
  serveJson(app, env, endpoint, async (...request) => jsonOf(endpoint, await act(...request)), options)
}

/** Sends PostgreSQL's JSON unchecked: thousands of rows would hold up everybody. Tests check the contract. */
export function serveJson<In extends z.ZodType, Out extends z.ZodType, Kind extends BodyKind>(
  app: FastifyInstance,
  env: Env,
  endpoint: Endpoint<In, Out, Kind>,
  act: (user: SignedInUser, input: z.output<In>, caller: Caller<Kind>) => Promise<string>,
  options: Options = {},
): void {
  if (endpoint.access === 'anyone') throw new Error(`${endpoint.path} is open to anyone: use serveAnyone`)
  route(app, endpoint, options, async (request, reply) => {
    const user = requireAccess(endpoint, await sessionOf(env, request), env.clock())
    const input = inputOf(endpoint, request)
    await takeRates(env.limits, endpoint, user, input)
    return await act(user, input, callerOf(env, endpoint, request, reply))
  })
}

export function serveBytes<In extends z.ZodType>(
  app: FastifyInstance,
  env: Env,
  endpoint: Endpoint<In>,
  act: (user: SignedInUser, input: z.output<In>, caller: Caller) => Promise<Bytes | Elsewhere>,
): void {
  route(app, endpoint, {}, async (request, reply) => {
    const user = requireAccess(endpoint, await sessionOf(env, request), env.clock())
    return await act(user, inputOf(endpoint, request), callerOf(env, endpoint, request, reply))
  })
}

/** Needs no session. */
export function serveAnyone<In extends z.ZodType, Out extends z.ZodType, Kind extends BodyKind>(
  app: FastifyInstance,
  env: Env,
  endpoint: Endpoint<In, Out, Kind>,
  act: (visitor: Visitor<Kind>, input: z.output<In>) => Answer<Out>,
  options: Options = {},
): void {
  const { access, assurance } = endpoint
  if (access !== 'anyone' || assurance !== undefined) throw new Error(`${endpoint.path} needs a session: use serve`)
  route(app, endpoint, options, async (request, reply) => {
    const input = inputOf(endpoint, request)
    const visitor = { ...callerOf(env, endpoint, request, reply), session: () => sessionOf(env, request) }
    return jsonOf(endpoint, await act(visitor, input))
  })
}

const jsonOf = <Out extends z.ZodType>({ output }: Endpoint<z.ZodType, Out>, answer: z.input<Out>): string =>
  JSON.stringify(output.parse(answer))

function route(
  app: FastifyInstance,
  endpoint: Endpoint,
  options: Options,
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<string | Bytes | Elsewhere>,
): void {
  const { body: kind = 'json' } = endpoint
  const add = (scope: FastifyInstance) =>
    scope.route({
      method: endpoint.method,
      url: endpoint.path,
      bodyLimit: limitOf(endpoint),
      config: { isForPeople: isForPeople(endpoint), ...(kind === 'stream' && { streamedBytes: limitOf(endpoint) }) },
      handler: async (request, reply) => {
        const body = await answered(request, reply)
        if (typeof body !== 'string') return await sendBytes(request, reply, body)
        reply.type('application/json; charset=utf-8')
        if (options.cachedSeconds !== undefined) reply.header('cache-control', `public, max-age=${options.cachedSeconds}`)
        if (!options.hasEtag) return body
        const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
        reply.header('etag', etag)
        if (!matches(request.headers['if-none-match'], etag)) return body
        return reply.code(304).send()
      },
    })
  const answered = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      return await answer(request, reply)
    } finally {
      if (kind === 'stream' && !request.raw.complete) discardRest(request, reply)
    }
  }
  if (kind === 'json') add(app)
  else takeBytes(app, kind, add)
}

/** Discards an unread body and closes. */
function discardRest(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('connection', 'close')
  request.raw.resume()
}

const limitOf = ({ bodyLimitBytes }: Endpoint): number => bodyLimitBytes ?? LIMITS.bodyBytes

const inputOf = <In extends z.ZodType>(endpoint: Endpoint<In>, request: FastifyRequest): z.output<In> =>
  parseInput(endpoint.input, flatten(request.query, isJson(endpoint) ? request.body : undefined, request.params))

const isJson = ({ body }: Endpoint): boolean => body === undefined || body === 'json'

async function sessionOf(env: Env, request: FastifyRequest): Promise<SignedInUser | undefined> {
  const hash = readSessionHash(listenerOf(env.config, request.raw.socket), request.headers.cookie)
  return hash === undefined ? undefined : await env.findSession(hash)
}

const callerOf = <Kind extends BodyKind>(
  env: Env,
  endpoint: Endpoint<z.ZodType, z.ZodType, Kind>,
  request: FastifyRequest,
  reply: FastifyReply,
): Caller<Kind> => {
  const listener = listenerOf(env.config, request.raw.socket)
  return {
    addressKey: () => callerKey(listener, request.raw.socket, addressOf(listener, request)),
    headers: request.headers,
    body: bodyOf<Kind>(endpoint.body, request, limitOf(endpoint)),
    posted: () => ({ bytes: jsonBytesOf(request), fields: isJson(endpoint) ? flatten({}, request.body, {}) : {} }),
    ingress: listener.ingress,
    origin: () => ownOrigin(listener, request.raw),
    browserHash: () => readBrowserHash(listener, request.headers.cookie),
    markBrowser: () => writeBrowser(listener, reply),
    setSession: (token, expiresAt) => writeToken(listener, reply, token, expiresAt),
    clearSession: () => clearToken(listener, reply),
    setEtag: (tag) => void reply.header('etag', `"${tag}"`),
    setNext: (path) => void reply.header('link', `<${path}>; rel="next"`),
  }
}

const addressOf = ({ hasProxy }: Listener, request: FastifyRequest): string | undefined =>
  hasProxy ? request.ip : request.raw.socket.remoteAddress

// Compares weakly (RFC 9110 section 13.1.2): a compressing proxy marks the tag as weak.
const matches = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((each) => each.trim().replace(/^W\//, '') === etag || each.trim() === '*')
