import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Config, Listener } from '../../settings/config.ts'

const acceptedBy = new WeakMap<Socket, Listener>()

/** Records this listener for every connection that the server accepts from now on. */
export function bindListener(server: Server, listener: Listener): void {
  server.prependListener('connection', (socket) => acceptedBy.set(socket, listener))
}

/**
 * The listener that accepted the request's connection. An unbound server belongs to the direct listener: Fastify opens a second
 * server if HOST has two addresses.
 */
export const listenerOf = (config: Config, request: IncomingMessage): Listener => acceptedBy.get(request.socket) ?? config.direct

/** True if a request asks for the other origin, where cards are paid in a frame. Its browser sends no cookie of the messenger there. */
export const isForFrame = (config: Config, request: IncomingMessage): boolean =>
  config.frame !== undefined &&
  listenerOf(config, request).ingress === 'direct' &&
  request.headers.host?.toLowerCase() === new URL(config.frame.origin).host
