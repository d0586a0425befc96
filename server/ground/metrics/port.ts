import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { ConfigError } from '../../settings/config.ts'
import type { Metrics } from './metrics.ts'

/** Serves /metrics alone, on a separate port that no proxy exposes. Throws ConfigError if it cannot listen. */
export async function serveMetrics(metrics: Metrics, port: number, host: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isAsked = request.method === 'GET' && request.url?.split('?')[0] === '/metrics'
    response.statusCode = isAsked ? 200 : 404
    response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
    response.end(isAsked ? metrics.text() : 'Ask for /metrics\n')
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch {
    throw new ConfigError('METRICS_PORT', `a free port of METRICS_HOST (${host})`, String(port))
  }
  // The metrics port does not keep the process alive.
  server.unref()
  return server
}
