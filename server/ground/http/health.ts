import type { FastifyInstance } from 'fastify'
import { everyEndpoint } from '../../../contract/every.ts'
import { healthApi } from '../../../contract/ground/health.ts'
import { CONTRACT_VERSION } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { inTime } from '../db/askTogether.ts'
import { ping } from '../db/connect.ts'
import { openApi } from './openapi.ts'
import { serveAnyone } from './serve.ts'

const RETRY_SECONDS = 2
const ANSWER_MS = 2000

export function healthRoutes(app: FastifyInstance, env: Env): void {
  let asked: Promise<unknown> | undefined
  const ask = () =>
    ping(env.db).finally(() => {
      asked = undefined
    })
  serveAnyone(app, env, healthApi.health, async () => {
    try {
      // A suspended database must not use up all connections.
      asked ??= ask()
      await inTime(asked, ANSWER_MS)
    } catch {
      throw new Refusal('unavailable', {
        text: 'The server runs, but its database does not answer',
        retryAfterSeconds: RETRY_SECONDS,
        details: { process: 'ok', database: 'away' },
      })
    }
    const { isRequired: isTorRequired } = env.onion
    return {
      ...{ status: 'ok' as const, database: 'ok' as const, contractVersion: CONTRACT_VERSION },
      ...{ onionAddress: env.onion.address() ?? null, isTorRequired },
    }
  })
  const document = openApi(everyEndpoint)
  serveAnyone(app, env, healthApi.openapi, () => document)
}
