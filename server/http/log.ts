import type { FastifyInstance } from 'fastify'

/** One line a request, at debug: the route as declared, never the address that was asked for, nor who asked. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.debug({
      method: request.method,
      route: request.is404 ? 'unknown' : request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    })
  })
}
