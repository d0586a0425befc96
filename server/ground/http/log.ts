import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { RefusalCode } from '../../../contract/ground/refusals.ts'
import { codeOf } from './errors.ts'

const WARN_EVERY_MS = 1000

/** Holds the declared route, never the URL or the caller. */
export interface Answered {
  method: string
  route: string
  status: number
  code: RefusalCode | undefined
  ms: number
}

export type NoteAnswer = (answered: Answered, log: FastifyBaseLogger) => void

/** Logs requests at debug. Failures are logged at warn once a second at most: a lost database fails all requests. */
export function logAnswers(): NoteAnswer {
  let warnedMs = Number.NEGATIVE_INFINITY
  return (answered, log) => {
    const line = { ...answered, ms: Math.round(answered.ms) }
    const nowMs = performance.now()
    if (line.status < 500 || nowMs - warnedMs < WARN_EVERY_MS) {
      log.debug(line)
      return
    }
    warnedMs = nowMs
    log.warn(line)
  }
}

export function noteRequests(app: FastifyInstance, notes: readonly NoteAnswer[]): void {
  app.addHook('onResponse', async (request, reply) => {
    const answered = {
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      code: codeOf(reply),
      ms: reply.elapsedTime,
    }
    for (const note of notes) note(answered, request.log)
  })
}

/** `unknown` without a route. */
const routeOf = (request: FastifyRequest): string => (request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown'))
