import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { healthApi } from '../../contract/health.ts'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { Env } from '../env.ts'
import { openApi } from './openapi.ts'
import { Refusal } from './refuse.ts'
import { serveAnyone } from './serve.ts'

const RETRY_SECONDS = 2

export function healthRoutes(app: FastifyInstance, env: Env): void {
  serveAnyone(app, env, healthApi.health, async () => {
    try {
      await env.db.execute(sql`select 1`)
    } catch {
      throw new Refusal('unavailable', { text: 'The database does not answer', retryAfterSeconds: RETRY_SECONDS })
    }
    return { status: 'ok' as const, database: 'ok' as const, contractVersion: CONTRACT_VERSION }
  })
  const document = openApi()
  serveAnyone(app, env, healthApi.openapi, () => document)
}
