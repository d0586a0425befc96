import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { LIMITS, PERIODS } from '../../../contract/ground/limits.ts'
import { Refusal } from '../../refuse.ts'
import type { Config, Listener } from '../../settings/config.ts'
import { addressKey } from './address.ts'
import { rawAnswer } from './errors.ts'

export interface Pace {
  /** Limit for headers and plain bodies, and grace for streamed ones. */
  graceMs: number
  /** Slowest streamed body. */
  bytesPerSecond: number
  connectionsMax: number
  connectionsOfAddressMax: number
  checkMs: number
  heartbeatMs: number
}

export const PACE: Pace = {
  graceMs: LIMITS.requestSeconds * 1000,
  bytesPerSecond: LIMITS.streamBytesPerSecond,
  connectionsMax: LIMITS.connectionsMax,
  connectionsOfAddressMax: LIMITS.connectionsOfAddressMax,
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
  let longestMs = pace.graceMs
  app.addHook('onRoute', ({ config: route }) => {
    const streamedMs = ((route?.streamedBytes ?? 0) / pace.bytesPerSecond) * 1000
    longestMs = Math.max(longestMs, pace.graceMs + Math.ceil(streamedMs))
    for (const server of servers) server.requestTimeout = longestMs
  })
  app.addHook('onRequest', async (request) => {
    if (request.raw.complete) return
    if (request.routeOptions.config.streamedBytes === undefined) {
      const stop = endAfter(config, request.raw, pace)
      request.raw.once('end', stop).once('close', stop)
    } else endBelow(config, request.raw, pace)
  })
  return (server, listener) => {
    if (!listener.hasProxy) boundAddresses(server, pace, warn)
    server.headersTimeout = pace.graceMs
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
export function endAfter(config: Config, raw: IncomingMessage, { graceMs }: Pace): () => void {
  const timer = setTimeout(() => end(config, raw), graceMs)
  return () => clearTimeout(timer)
}

/** Time in which the verb does not read does not count. */
function endBelow(config: Config, raw: IncomingMessage, { graceMs, bytesPerSecond, checkMs }: Pace): void {
  const { bytesRead } = raw.socket
  let waitedMs = 0
  const timer = setInterval(() => {
    if (raw.readableLength >= raw.readableHighWaterMark) return
    waitedMs += checkMs
    if (raw.socket.bytesRead - bytesRead < ((waitedMs - graceMs) / 1000) * bytesPerSecond) end(config, raw)
  }, checkMs)
  raw.once('end', () => clearInterval(timer)).once('close', () => clearInterval(timer))
}

/** Answers on the raw socket, before the body is complete. */
function end(config: Config, raw: IncomingMessage): void {
  if (raw.complete) return
  raw.socket.write(rawAnswer(config, raw.socket, new Refusal('too_slow')))
  raw.socket.destroySoon()
}
