import type { FastifyInstance } from 'fastify'
import { coinsApi } from '../../../contract/money/coins.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { checkPayment, createPayment, currencies, listPayments, prices, submitTransaction } from './payments.ts'

export function coinRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, coinsApi.currencies, (user) => currencies(env, user))
  serve(app, env, coinsApi.prices, () => prices(env))
  serve(app, env, coinsApi.createPayment, (user, wanted) => createPayment(env, user, wanted))
  serve(app, env, coinsApi.payments, (user) => listPayments(env, user))
  serve(app, env, coinsApi.checkPayment, (user, { paymentId }) => checkPayment(env, user, paymentId))
  serve(app, env, coinsApi.submitTransaction, (user, named) => submitTransaction(env, user, named))
}
