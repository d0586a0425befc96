import type { FastifyInstance } from 'fastify'
import { offersApi } from '../../../contract/money/offers.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import type { Env } from '../../env.ts'
import { serve, serveAnyone } from '../../ground/http/serve.ts'
import { changePlan, keepPlan, openPortal, previewChange } from './change.ts'
import { beginCheckout, settlePayment } from './checkout.ts'
import { FRESH_SECONDS, publicOffers } from './forsale.ts'
import { frameFor } from './frame.ts'
import { listPackages } from './offers.ts'
import { refundPlan } from './refund.ts'
import { readSubscription, readUsage } from './subscription.ts'
import { takeEvent } from './webhook.ts'

export function paymentRoutes(app: FastifyInstance, env: Env) {
  const listOffers = publicOffers(env)
  serveAnyone(app, env, offersApi.offers, listOffers, { cachedSeconds: FRESH_SECONDS })
  serve(app, env, paymentsApi.packages, () => listPackages(env.db), { hasEtag: true })
  serve(app, env, paymentsApi.usage, (user) => readUsage(env, user), { hasEtag: true })
  serve(app, env, paymentsApi.subscription, (user) => readSubscription(env, user), { hasEtag: true })
  serve(app, env, paymentsApi.checkout, (user, { planType, ...choice }, caller) =>
    beginCheckout(env, user, { tier: planType, ...choice }, caller.origin()),
  )
  serve(app, env, paymentsApi.upgrade, (user, { embedded, ...wanted }, caller) => {
    const frameUrl = embedded ? frameFor(env.config, caller) : undefined
    return changePlan(env, user, wanted, { origin: caller.origin(), frameUrl })
  })
  serve(app, env, paymentsApi.settle, (user) => settlePayment(env, user))
  serve(app, env, paymentsApi.preview, (user, choice) => previewChange(env, user, choice))
  serve(app, env, paymentsApi.keep, (user) => keepPlan(env, user))
  serve(app, env, paymentsApi.portal, (user, _input, caller) => openPortal(env, user, caller.origin()))
  serve(app, env, paymentsApi.refund, (user) => refundPlan(env, user))
  serveAnyone(app, env, paymentsApi.webhook, ({ body, headers }) => takeEvent(env, body, oneOf(headers['stripe-signature'])))
}

const oneOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header)
