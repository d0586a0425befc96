import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config, Listener } from '../../settings/config.ts'

const acceptedBy = new WeakMap<Duplex, Listener>()

export function bindListener(server: Server, listener: Listener): void {
  server.prependListener('connection', (socket) => acceptedBy.set(socket, listener))
}

/** An unbound server is direct: Fastify opens a second server for two addresses of HOST. */
export const listenerOf = (config: Config, connection: Duplex): Listener => acceptedBy.get(connection) ?? config.direct

export function ownOrigin({ origins }: Listener, { headers, socket }: IncomingMessage): string {
  const own = origins(socket.localPort)
  return own.find((each) => each === headers.origin) ?? own[0] ?? 'http://localhost'
}

/** A foreign onion service shows in the Host header alone. */
export const comesByOnion = ({ ingress, headers }: { ingress: Listener['ingress']; headers: IncomingHttpHeaders }): boolean =>
  ingress === 'onion' || /\.onion(:\d+)?$/i.test(headers.host ?? '')

/** True for the origin of card payments, which gets no cookie. */
export const isForFrame = (config: Config, request: IncomingMessage): boolean =>
  config.frame !== undefined &&
  listenerOf(config, request.socket).ingress === 'direct' &&
  request.headers.host?.toLowerCase() === new URL(config.frame.origin).host
