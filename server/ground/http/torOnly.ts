import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import { healthApi } from '../../../contract/ground/health.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import type { Listener } from '../../settings/config.ts'
import { listenerOf } from './listener.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False for pages, files and what every listener answers. */
    isForPeople?: boolean
  }
}

const ANSWERED_ALWAYS: readonly string[] = [healthApi.health.path, healthApi.openapi.path]

export const isForPeople = ({ path }: Endpoint): boolean => !ANSWERED_ALWAYS.includes(path)

/** True where Tor is required and the caller came otherwise. */
export const isPastTor = ({ onion }: Env, { ingress }: Listener): boolean => onion.isRequired && ingress === 'direct'

export const torRequired = ({ onion }: Env): Refusal =>
  new Refusal('tor_required', { details: { onionAddress: onion.address() ?? null } })

/** Refuses every call at the direct listener where Tor is required. */
export function requireTor(app: FastifyInstance, env: Env): void {
  app.addHook('onRequest', async (request) => {
    const isCall = request.routeOptions.config.isForPeople
    if (isCall && isPastTor(env, listenerOf(env.config, request.raw.socket))) throw torRequired(env)
  })
}
