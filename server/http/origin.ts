import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { allowedOrigins, type Config } from '../config.ts'
import { Refusal } from '../refuse.ts'

/**
 * Whether a request may change something or open a socket: its Origin is listed, or it has neither Origin nor
 * Sec-Fetch-Site, as programs do. A browser always sends one of them with a write.
 */
export function isOriginAllowed(config: Config, request: IncomingMessage): boolean {
  const { origin } = request.headers
  if (origin === undefined) return request.headers['sec-fetch-site'] === undefined
  return allowedOrigins(config, request.socket.localPort ?? config.port).includes(origin)
}

/** Refuses writes from other origins before their body is read. */
export function guardOrigin(app: FastifyInstance, config: Config): void {
  app.addHook('onRequest', async (request) => {
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
    if (isWrite && !isOriginAllowed(config, request.raw)) throw new Refusal('forbidden_origin')
  })
}
