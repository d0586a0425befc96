import type { FastifyInstance } from 'fastify'
import { adminApi } from '../../contract/admin/admin.ts'
import { adminPackagesApi } from '../../contract/admin/adminpackages.ts'
import { auditApi } from '../../contract/admin/audit.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { cardPaymentsApi } from '../../contract/money/cardpayments.ts'
import { coinAddressesApi } from '../../contract/money/coinaddresses.ts'
import { coinReviewsApi } from '../../contract/money/coinreviews.ts'
import { ledgerApi } from '../../contract/money/receipts.ts'
import type { Env } from '../env.ts'
import { serve, serveJson } from '../ground/http/serve.ts'
import { readAddresses } from '../money/coins/addresses.ts'
import { readPage, readReceipt } from '../money/receipts/receipts.ts'
import { deactivate, giveTier, makeAdmin, reactivate, removeAdmin, resetUsage } from './acts.ts'
import { checkAudit, listAudit, ownAudit } from './audit.ts'
import { listCardPayments } from './cardpayments.ts'
import { exportAddresses, findPaid, listWaiting, readWallets, refundCoins, settleCoins } from './coins.ts'
import { type Answers, readAnalytics, readSystem, subscriptionStats } from './figures.ts'
import { exportLedger } from './ledger.ts'
import { createPackage, deletePackage, listPackages, togglePackage, updatePackage } from './packages.ts'
import { checkCardProvider, readRevenue } from './revenue.ts'
import { hasAdministrator, listUsers } from './users.ts'

export function adminRoutes(app: FastifyInstance, env: Env, answers: Answers) {
  const startedAt = env.clock()
  serve(app, env, adminApi.first, async () => ({ hasAdministrator: await hasAdministrator(env.db) }))
  serve(app, env, adminApi.users, (_actor, filter) => listUsers(env, filter))
  serve(app, env, adminApi.deactivate, (actor, { id }) => deactivate(env, actor, id))
  serve(app, env, adminApi.reactivate, (actor, { id }) => reactivate(env, actor, id))
  serve(app, env, adminApi.resetUsage, (actor, { id }) => resetUsage(env, actor, id))
  serve(app, env, adminApi.makeAdmin, (actor, { id }) => makeAdmin(env, actor, id))
  serve(app, env, adminApi.removeAdmin, (actor, { id }) => removeAdmin(env, actor, id))
  serve(app, env, adminApi.setTier, (actor, { id, tier }) => giveTier(env, actor, id, tier))
  serve(app, env, adminApi.subscriptionStats, () => subscriptionStats(env))
  serve(app, env, adminPackagesApi.list, () => listPackages(env))
  serve(app, env, adminPackagesApi.create, (actor, form) => createPackage(env, actor, form))
  serve(app, env, adminPackagesApi.update, (actor, { id, ...form }) => updatePackage(env, actor, id, form))
  serve(app, env, adminPackagesApi.toggle, (actor, { id, isActive }) => togglePackage(env, actor, id, isActive))
  serve(app, env, adminPackagesApi.remove, (actor, { id }) => deletePackage(env, actor, id))
  serve(app, env, adminApi.revenueStats, () => readRevenue(env))
  serve(app, env, adminApi.cardProvider, () => checkCardProvider(env))
  serve(app, env, adminApi.analytics, () => readAnalytics(env))
  serve(app, env, adminApi.system, () => readSystem(env, startedAt, answers))
  serve(app, env, cardPaymentsApi.list, (_actor, filter) => listCardPayments(env, filter))
  serve(app, env, ledgerApi.receipts, (_actor, filter) => readPage(env.db, filter))
  serve(app, env, ledgerApi.receipt, (_actor, { number }) => readReceipt(env.db, number))
  serveJson(app, env, ledgerApi.entries, (actor, wanted) => exportLedger(env, actor, wanted))
  serve(app, env, coinAddressesApi.wallets, () => readWallets(env))
  serveJson(app, env, coinAddressesApi.list, (_actor, filter) => readAddresses(env.db, filter, LIMITS.adminPage))
  serveJson(app, env, coinAddressesApi.export, (actor, filter) => exportAddresses(env, actor, filter))
  serve(app, env, coinReviewsApi.list, (_actor, { page }) => listWaiting(env, page))
  serve(app, env, coinReviewsApi.settle, (actor, wanted) => settleCoins(env, actor, wanted))
  serve(app, env, coinReviewsApi.find, (_actor, { named }) => findPaid(env, named))
  serve(app, env, coinReviewsApi.refund, (actor, wanted) => refundCoins(env, actor, wanted))
  serve(app, env, auditApi.list, (_actor, filter) => listAudit(env, filter))
  serve(app, env, auditApi.check, () => checkAudit(env))
  serve(app, env, auditApi.own, (user) => ownAudit(env, user))
}
