import type { FastifyInstance, FastifyRequest } from 'fastify'
import { codeOf } from './errors.ts'

const WARN_EVERY_MS = 1000

/**
 * Logs one line per request, at debug: the declared route, never the requested URL or the caller. Failures of the server or its
 * database are logged at warn, at most once a second, because a lost database fails all requests at once.
 */
export function logRequests(app: FastifyInstance): void {
  let warnedMs = Number.NEGATIVE_INFINITY
  app.addHook('onResponse', async (request, reply) => {
    const line = {
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      code: codeOf(reply),
      ms: Math.round(reply.elapsedTime),
    }
    const nowMs = performance.now()
    if (reply.statusCode < 500 || nowMs - warnedMs < WARN_EVERY_MS) {
      request.log.debug(line)
      return
    }
    warnedMs = nowMs
    request.log.warn(line)
  })
}

/** The declared route of the request, such as `/api/rooms/:chatRoomId/commits`; `unknown` without one. */
export const routeOf = (request: FastifyRequest): string => (request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown'))
