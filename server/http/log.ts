import type { FastifyInstance, FastifyRequest } from 'fastify'
import { codeOf } from './errors.ts'

const WARN_EVERY_MS = 1000

/**
 * One line a request: the route as declared, never the address that was asked for, nor who asked. At debug; a failure of the
 * server or its database at warn, at most once a second: a database that is away fails everybody at once.
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

/** The route as it is declared. */
export const routeOf = (request: FastifyRequest): string => (request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown'))
