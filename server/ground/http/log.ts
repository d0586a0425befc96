import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { RefusalCode } from '../../../contract/ground/refusals.ts'
import { codeOf } from './errors.ts'

const WARN_EVERY_MS = 1000

/** An answered request, as log and metrics know it: the declared route, never the requested URL or the caller. */
export interface Answered {
  method: string
  route: string
  status: number
  code: RefusalCode | undefined
  ms: number
}

export type NoteAnswer = (answered: Answered, log: FastifyBaseLogger) => void

/**
 * Logs one line per request, at debug. Failures of the server or its database are logged at warn, at most once a second, because a
 * lost database fails all requests at once.
 */
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

/** Tells these of each request that the framework answers. */
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

/** The declared route of the request, such as `/api/rooms/:chatRoomId/commits`; `unknown` without one. */
const routeOf = (request: FastifyRequest): string => (request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown'))
