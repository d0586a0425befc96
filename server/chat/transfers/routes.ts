import type { FastifyInstance } from 'fastify'
import { transfersApi } from '../../../contract/chat/transfers.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { endTransfer } from './endTransfer.ts'
import { listTransfers } from './listTransfers.ts'
import { offerTransfer } from './offerTransfer.ts'

export function transferRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, transfersApi.list, (user) => listTransfers(env, user))
  serve(app, env, transfersApi.offer, (user, offer) => offerTransfer(env, user, offer))
  serve(app, env, transfersApi.end, (user, end) => endTransfer(env, user, end))
}
