import type { FastifyInstance } from 'fastify'
import { receiptsApi } from '../../../contract/money/receipts.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { listReceipts, readDetails, readReceipt, removeDetails, saveDetails } from './receipts.ts'

export function receiptRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, receiptsApi.list, (user, { before }) => listReceipts(env, user, before))
  serve(app, env, receiptsApi.read, (user, { number }) => readReceipt(env.db, number, user.id))
  serve(app, env, receiptsApi.details, (user) => readDetails(env.db, user))
  serve(app, env, receiptsApi.saveDetails, (user, details) => saveDetails(env.db, user, details))
  serve(app, env, receiptsApi.removeDetails, (user) => removeDetails(env.db, user))
}
