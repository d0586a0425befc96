import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../refuse.ts'
import type { Config } from '../../settings/config.ts'
import { listenerOf } from './listener.ts'

/** True for an own Origin, or for a program: browsers send Origin or Sec-Fetch-Site with each write. */
export function isOriginAllowed(config: Config, request: IncomingMessage): boolean {
  const { origin } = request.headers
  if (origin === undefined) return request.headers['sec-fetch-site'] === undefined
  return listenerOf(config, request.socket).origins(request.socket.localPort).includes(origin)
}

/** Refuses writes before their body is read. */
export function guardOrigin(app: FastifyInstance, config: Config): void {
  app.addHook('onRequest', async (request) => {
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
    if (isWrite && !isOriginAllowed(config, request.raw)) throw new Refusal('forbidden_origin')
  })
}
