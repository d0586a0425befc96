import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { LIMITS, PERIODS } from '../../../contract/ground/limits.ts'
import { Refusal } from '../../refuse.ts'
import type { Config, Listener } from '../../settings/config.ts'
import { addressKey } from './address.ts'
import { rawAnswer } from './errors.ts'
import { listenerOf } from './listener.ts'

export interface Pace {
  /** Limit for headers and plain bodies, and grace for streamed ones. */
  graceMs: number
  /** Plain bodies then have the floor too. */
  onionGraceMs: number
  /** Slowest streamed body. */
  bytesPerSecond: number
  connectionsMax: number
  connectionsOfAddressMax: number
  /** Leaves connections to requests. */
  socketsMax: number
  /** Accounts. */
  comingMax: number
  backPerSecond: number
  checkMs: number
  heartbeatMs: number
}

export const PACE: Pace = {
  graceMs: LIMITS.requestSeconds * 1000,
  onionGraceMs: LIMITS.onionRequestSeconds * 1000,
  bytesPerSecond: LIMITS.streamBytesPerSecond,
  connectionsMax: LIMITS.connectionsMax,
  connectionsOfAddressMax: LIMITS.connectionsOfAddressMax,
  socketsMax: LIMITS.connectionsMax - 1000,
  comingMax: 5000,
  backPerSecond: 500,
  checkMs: 1000,
  heartbeatMs: PERIODS.heartbeatMs,
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Largest streamed body. */
    streamedBytes?: number
  }
}

/**
 * Ends slow requests. Node's own limit must allow the longest stream, so plain bodies have a timer here. Returns a function for
 * further servers.
 */
export function boundPace(app: FastifyInstance, config: Config, pace: Pace): (server: Server, listener: Listener) => void {
  const servers: Server[] = []
  let hasWarned = false
  const warn = () => {
    if (!hasWarned) app.log.warn(fullAddress(pace))
    hasWarned = true
  }
  const longestGraceMs = Math.max(pace.graceMs, pace.onionGraceMs)
  let longestMs = longestGraceMs + (LIMITS.bookCallBytes / pace.bytesPerSecond) * 1000
  app.addHook('onRoute', ({ config: route }) => {
    const streamedMs = ((route?.streamedBytes ?? 0) / pace.bytesPerSecond) * 1000
    longestMs = Math.max(longestMs, longestGraceMs + Math.ceil(streamedMs))
    for (const server of servers) server.requestTimeout = longestMs
  })
  app.addHook('onRequest', async (request) => {
    if (request.raw.complete) return
    const isStreamed = request.routeOptions.config.streamedBytes !== undefined
    const stop = isStreamed ? endBelow(config, request.raw, pace) : endPlain(config, request.raw, pace)
    request.raw.once('end', stop).once('close', stop)
  })
  return (server, listener) => {
    if (!listener.hasProxy) boundAddresses(server, pace, warn)
    const isOnion = listener.ingress === 'onion'
    // A request may cross the end of a kept connection.
    if (isOnion) server.keepAliveTimeout = LIMITS.onionKeepAliveSeconds * 1000
    server.headersTimeout = isOnion ? pace.onionGraceMs : pace.graceMs
    server.requestTimeout = longestMs
    server.maxConnections = pace.connectionsMax
    servers.push(server)
  }
}

/** An unnamed proxy may use these. */
const OWN_ADDRESSES = ['127.0.0.1', '::1']

const fullAddress = ({ connectionsOfAddressMax }: Pace): string =>
  `one address holds ${connectionsOfAddressMax} connections and gets no more. If a proxy is there, name it in TRUST_PROXY`

function boundAddresses(server: Server, { connectionsOfAddressMax }: Pace, onFull: () => void): void {
  const held = new Map<string, number>()
  server.keepAliveTimeout = LIMITS.keepAliveSeconds * 1000
  server.prependListener('connection', (socket) => {
    const key = socket.remoteAddress === undefined ? undefined : addressKey(socket.remoteAddress)
    if (key === undefined || OWN_ADDRESSES.includes(socket.remoteAddress ?? '') || OWN_ADDRESSES.includes(key)) return
    const count = held.get(key) ?? 0
    if (count >= connectionsOfAddressMax) {
      onFull()
      socket.destroy()
      return
    }
    held.set(key, count + 1)
    socket.once('close', () => {
      const left = (held.get(key) ?? 1) - 1
      if (left > 0) held.set(key, left)
      else held.delete(key)
    })
  })
}

/** Returns a function that stops the timer. */
export function endPlain(config: Config, raw: IncomingMessage, pace: Pace): () => void {
  if (listenerOf(config, raw.socket).ingress === 'onion') return endBelow(config, raw, pace)
  const timer = setTimeout(() => end(config, raw), pace.graceMs)
  return () => clearTimeout(timer)
}

/** Time in which the verb does not read does not count. */
function endBelow(config: Config, raw: IncomingMessage, pace: Pace): () => void {
  const { bytesPerSecond, checkMs } = pace
  const graceMs = listenerOf(config, raw.socket).ingress === 'onion' ? pace.onionGraceMs : pace.graceMs
  const { bytesRead } = raw.socket
  let waitedMs = 0
  const timer = setInterval(() => {
    if (raw.readableLength >= raw.readableHighWaterMark) return
    waitedMs += checkMs
    if (raw.socket.bytesRead - bytesRead < ((waitedMs - graceMs) / 1000) * bytesPerSecond) end(config, raw)
  }, checkMs)
  return () => clearInterval(timer)
}

/** Answers on the raw socket, before the body is complete. */
function end(config: Config, raw: IncomingMessage): void {
  if (raw.complete) return
  raw.socket.write(rawAnswer(config, raw.socket, new Refusal('too_slow')))
  raw.socket.destroySoon()
}
