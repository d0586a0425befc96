import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Config, Listener } from '../config.ts'

const acceptedBy = new WeakMap<Socket, Listener>()

/** From now on every connection that the server accepts came in by this listener. */
export function bindListener(server: Server, listener: Listener): void {
  server.prependListener('connection', (socket) => acceptedBy.set(socket, listener))
}

/**
 * The listener that accepted the request's connection. A server that nobody bound is one more of the direct listener's: Fastify
 * opens a second one where HOST has two addresses.
 */
export const listenerOf = (config: Config, request: IncomingMessage): Listener => acceptedBy.get(request.socket) ?? config.direct
