import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Env, SignedInUser } from '../env.ts'
import { Refusal } from '../refuse.ts'
import { addressKey } from './address.ts'
import { clearToken, readSessionHash, writeToken } from './cookie.ts'
import { flatten, parseInput } from './input.ts'

/** What a verb may need of the request itself. */
export interface Caller {
  /** The key of rate limits: the address, of IPv6 its /64. */
  addressKey: string
  setSession(token: string, expiresAt: Date): void
  clearSession(): void
}

/** Someone who need not be signed in. */
export interface Visitor extends Caller {
  session: SignedInUser | undefined
}

interface Options {
  /** Answers an ETag, and 304 without a body to whoever has that answer already. */
  hasEtag?: boolean
}

type Answer<Out extends z.ZodType> = z.input<Out> | Promise<z.input<Out>>

/** Serves a call that needs a session. Only what the contract's output declares leaves the server. */
export function serve<In extends z.ZodType, Out extends z.ZodType>(
  app: FastifyInstance,
  env: Env,
  endpoint: Endpoint<In, Out>,
  act: (user: SignedInUser, input: z.output<In>, caller: Caller) => Answer<Out>,
  options: Options = {},
): void {
  if (endpoint.access !== 'signed_in') throw new Error(`${endpoint.path} is open to anyone: use serveAnyone`)
  route(app, endpoint, options, async (request, reply) => {
    const user = await sessionOf(env, request)
    if (!user) throw new Refusal('not_signed_in', endpoint.signInText ? { text: endpoint.signInText } : {})
    return await act(user, inputOf(endpoint, request), callerOf(env, request, reply))
  })
}

/** Serves a call that is open to anyone. */
export function serveAnyone<In extends z.ZodType, Out extends z.ZodType>(
  app: FastifyInstance,
  env: Env,
  endpoint: Endpoint<In, Out>,
  act: (visitor: Visitor, input: z.output<In>) => Answer<Out>,
  options: Options = {},
): void {
  if (endpoint.access !== 'anyone') throw new Error(`${endpoint.path} needs a session: use serve`)
  route(app, endpoint, options, async (request, reply) => {
    const input = inputOf(endpoint, request)
    return await act({ ...callerOf(env, request, reply), session: await sessionOf(env, request) }, input)
  })
}

function route<In extends z.ZodType, Out extends z.ZodType>(
  app: FastifyInstance,
  endpoint: Endpoint<In, Out>,
  options: Options,
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<z.input<Out>>,
): void {
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    bodyLimit: endpoint.bodyLimitBytes ?? LIMITS.bodyBytes,
    handler: async (request, reply) => {
      const body = JSON.stringify(endpoint.output.parse(await answer(request, reply)))
      reply.type('application/json; charset=utf-8')
      if (!options.hasEtag) return body
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
      reply.header('etag', etag)
      if (!matches(request.headers['if-none-match'], etag)) return body
      return reply.code(304).send()
    },
  })
}

const inputOf = <In extends z.ZodType>(endpoint: Endpoint<In>, request: FastifyRequest): z.output<In> =>
  parseInput(endpoint.input, flatten(request.query, request.body, request.params))

async function sessionOf(env: Env, request: FastifyRequest): Promise<SignedInUser | undefined> {
  const hash = readSessionHash(env.config, request.headers.cookie)
  return hash === undefined ? undefined : await env.findSession(hash)
}

const callerOf = (env: Env, request: FastifyRequest, reply: FastifyReply): Caller => ({
  addressKey: addressKey(request.ip),
  setSession: (token, expiresAt) => writeToken(env.config, reply, token, expiresAt),
  clearSession: () => clearToken(env.config, reply),
})

// Weak comparison (RFC 9110 section 13.1.2): a proxy that compresses marks the tag as weak.
const matches = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((each) => each.trim().replace(/^W\//, '') === etag || each.trim() === '*')
