import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ZodError } from 'zod'
import { everyEndpoint } from '../../../contract/every.ts'
import type { RefusalCode } from '../../../contract/ground/refusals.ts'
import { Refusal } from '../../refuse.ts'
import type { Config } from '../../settings/config.ts'
import { isDatabaseAway, isDeadlock } from '../db/connect.ts'
import { fewestHeaders } from './headers.ts'
import { listenerOf } from './listener.ts'

const RETRY_SECONDS = 2

const FRAMEWORK_CODES: Record<string, RefusalCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_body',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_body',
  FST_ERR_BAD_URL: 'malformed_url',
  FST_ERR_ASYNC_CONSTRAINT: 'malformed_url',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

/** No stack leaves the server. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => sendError(new Refusal('not_found'), request, reply))
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) throw refuseAddress(request, reply)
  })
}

/** Lists the other methods of a known address in Allow. */
export function refuseAddress(request: FastifyRequest, reply: FastifyReply): Refusal {
  const allowed = methodsOf(request.url.split('?')[0] ?? '')
  if (allowed.length === 0) return new Refusal('not_found')
  reply.header('allow', allowed.join(', '))
  return new Refusal('method_not_allowed')
}

const codes = new WeakMap<FastifyReply, RefusalCode>()

/** undefined unless the request was refused. */
export const codeOf = (reply: FastifyReply): RefusalCode | undefined => codes.get(reply)

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, status, body, retryAfterSeconds } = answerOf(error, request.log)
  codes.set(reply, code)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

interface ErrorAnswer {
  code: RefusalCode
  status: number
  /** JSON. */
  body: string
  retryAfterSeconds: number | undefined
}

/** Logs a bug under the id in its answer. */
export function answerOf(error: unknown, log: FastifyBaseLogger): ErrorAnswer {
  const refusal = refusalOf(error)
  if (refusal) {
    if (isDeadlock(error)) logIncident(log, error, randomUUID())
    const { code, status, retryAfterSeconds } = refusal
    return { code, status, body: JSON.stringify(refusal.body()), retryAfterSeconds }
  }
  const incidentId = randomUUID()
  logIncident(log, error, incidentId)
  const body = JSON.stringify({ ...new Refusal('internal').body(), incidentId })
  return { code: 'internal', status: 500, body, retryAfterSeconds: undefined }
}

/** undefined for a bug. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (isDatabaseAway(error)) return new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS })
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? FRAMEWORK_CODES[error.code] : undefined
  return code && new Refusal(code)
}

/** Logs no message, which may repeat names and texts of people. */
export function logIncident(log: FastifyBaseLogger, error: unknown, incidentId: string): void {
  const frames = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')) : []
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  log.error(
    {
      incidentId,
      name: error instanceof Error ? error.name : typeof error,
      ...(cause instanceof Error && 'code' in cause && { code: cause.code }),
      ...(error instanceof ZodError && { fields: error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`) }),
      frames: frames.slice(0, 12).map((line) => line.trim()),
    },
    'incident',
  )
}

const CLIENT_CODES: Record<string, RefusalCode> = {
  HPE_HEADER_OVERFLOW: 'too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'too_slow',
}

/** Answers what is not HTTP or arrives too late. */
export function answerClientError(config: Config, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const refusal = new Refusal(CLIENT_CODES[error.code ?? ''] ?? 'malformed_url')
  socket.end(rawAnswer(config, socket, refusal))
}

export function rawAnswer(config: Config, connection: Duplex, refusal: Refusal): string {
  const body = JSON.stringify(refusal.body())
  const head = [
    `HTTP/1.1 ${refusal.status} Refused`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(fewestHeaders(config, listenerOf(config, connection))).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

const patterns = everyEndpoint.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '[.]').replace(/:[^/]+/g, '[^/]+')}$`),
}))

const methodsOf = (path: string): string[] => patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
