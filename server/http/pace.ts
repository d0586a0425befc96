import type { Server } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { Refusal } from '../refuse.ts'
import { rawAnswer } from './errors.ts'

/** How slowly a request may arrive, and how many connections there may be. */
export interface Pace {
  /** For the headers; for a whole body that is not streamed; before the floor of a streamed one holds. */
  graceMs: number
  /** The floor of a streamed body. */
  bytesPerSecond: number
  connectionsMax: number
  /** How often the connections are looked at. */
  checkMs: number
}

export const PACE: Pace = {
  graceMs: LIMITS.requestSeconds * 1000,
  bytesPerSecond: LIMITS.streamBytesPerSecond,
  connectionsMax: LIMITS.connectionsMax,
  checkMs: 1000,
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Largest body in bytes where it is read while it arrives. */
    streamedBytes?: number
  }
}

/**
 * Ends requests that come too slowly: each one costs memory and a place. Node's own limit is for all requests alike, so it is that
 * of the longest stream; bodies that are read as a whole have a timer of their own. What this returns bounds a server that
 * hands requests to the app.
 */
export function boundPace(app: FastifyInstance, pace: Pace): (server: Server) => void {
  const servers: Server[] = []
  let longestMs = pace.graceMs
  app.addHook('onRoute', ({ config }) => {
    const streamedMs = ((config?.streamedBytes ?? 0) / pace.bytesPerSecond) * 1000
    longestMs = Math.max(longestMs, pace.graceMs + Math.ceil(streamedMs))
    for (const server of servers) server.requestTimeout = longestMs
  })
  app.addHook('onRequest', async (request) => {
    if (request.raw.complete) return
    if (request.routeOptions.config.streamedBytes === undefined) endAfter(request, pace)
    else endBelow(request, pace)
  })
  return (server) => {
    server.headersTimeout = pace.graceMs
    server.requestTimeout = longestMs
    server.maxConnections = pace.connectionsMax
    servers.push(server)
  }
}

function endAfter(request: FastifyRequest, { graceMs }: Pace): void {
  const timer = setTimeout(() => end(request), graceMs)
  request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

/** Only the sender's slowness counts: while the verb does not read, such as a full disk's, the clock stands still. */
function endBelow(request: FastifyRequest, { graceMs, bytesPerSecond, checkMs }: Pace): void {
  const { raw } = request
  const { bytesRead } = raw.socket
  let waitedMs = 0
  const timer = setInterval(() => {
    if (raw.readableLength >= raw.readableHighWaterMark) return
    waitedMs += checkMs
    if (raw.socket.bytesRead - bytesRead < ((waitedMs - graceMs) / 1000) * bytesPerSecond) end(request)
  }, checkMs)
  raw.once('end', () => clearInterval(timer)).once('close', () => clearInterval(timer))
}

/** The answer goes past the route: whatever it does with the half body, nobody is there any more. */
function end({ raw }: FastifyRequest): void {
  if (raw.complete) return
  raw.socket.write(rawAnswer(new Refusal('too_slow')))
  raw.socket.destroySoon()
}
