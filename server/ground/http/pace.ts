import type { IncomingMessage, Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { LIMITS, PERIODS } from '../../../contract/ground/limits.ts'
import { Refusal } from '../../refuse.ts'
import type { Config } from '../../settings/config.ts'
import { rawAnswer } from './errors.ts'

/** Limits on slow requests and on the number of connections. */
export interface Pace {
  /** Time limit of the headers and of a body that is not streamed; time before `bytesPerSecond` applies to a streamed one. */
  graceMs: number
  /** Lowest allowed rate of a streamed body. */
  bytesPerSecond: number
  connectionsMax: number
  /** Interval of the checks. */
  checkMs: number
  /** Interval of the pings of open sockets. */
  heartbeatMs: number
}

export const PACE: Pace = {
  graceMs: LIMITS.requestSeconds * 1000,
  bytesPerSecond: LIMITS.streamBytesPerSecond,
  connectionsMax: LIMITS.connectionsMax,
  checkMs: 1000,
  heartbeatMs: PERIODS.heartbeatMs,
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum size of a streamed body. */
    streamedBytes?: number
  }
}

/**
 * Ends requests that arrive too slowly, because each holds memory and a connection. Node's own limit applies to all requests alike,
 * so it must allow the longest stream; bodies that are not streamed have a shorter timer here. Returns a function that applies the
 * limits to a further server of the app.
 */
export function boundPace(app: FastifyInstance, config: Config, pace: Pace): (server: Server) => void {
  const servers: Server[] = []
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
  return (server) => {
    server.headersTimeout = pace.graceMs
    server.requestTimeout = longestMs
    server.maxConnections = pace.connectionsMax
    servers.push(server)
  }
}

/** Ends a request whose body is not here in time. Returns a function that stops the timer. */
export function endAfter(config: Config, raw: IncomingMessage, { graceMs }: Pace): () => void {
  const timer = setTimeout(() => end(config, raw), graceMs)
  return () => clearTimeout(timer)
}

/** Ends a stream whose sender is too slow. The time when the verb does not read, as with a slow disk, does not count. */
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

/** Answers on the raw socket and closes it, whatever the route does with the incomplete body. */
function end(config: Config, raw: IncomingMessage): void {
  if (raw.complete) return
  raw.socket.write(rawAnswer(config, new Refusal('too_slow')))
  raw.socket.destroySoon()
}
