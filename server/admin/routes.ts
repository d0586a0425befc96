import type { FastifyInstance } from 'fastify'
import { adminApi } from '../../contract/admin.ts'
import { auditApi } from '../../contract/audit.ts'
import type { Env } from '../env.ts'
import { serve } from '../http/serve.ts'
import { deactivate, giveTier, makeAdmin, reactivate, removeAdmin, resetUsage } from './acts.ts'
import { checkAudit, listAudit, ownAudit } from './audit.ts'
import { type Answers, readAnalytics, readSystem, subscriptionStats } from './figures.ts'
import { listUsers } from './users.ts'

export function adminRoutes(app: FastifyInstance, env: Env, answers: Answers) {
  const startedAt = env.clock()
  serve(app, env, adminApi.users, (_actor, filter) => listUsers(env, filter))
  serve(app, env, adminApi.deactivate, (actor, { id }) => deactivate(env, actor, id))
  serve(app, env, adminApi.reactivate, (actor, { id }) => reactivate(env, actor, id))
  serve(app, env, adminApi.resetUsage, (actor, { id }) => resetUsage(env, actor, id))
  serve(app, env, adminApi.makeAdmin, (actor, { id }) => makeAdmin(env, actor, id))
  serve(app, env, adminApi.removeAdmin, (actor, { id }) => removeAdmin(env, actor, id))
  serve(app, env, adminApi.setTier, (actor, { id, tier }) => giveTier(env, actor, id, tier))
  serve(app, env, adminApi.subscriptionStats, () => subscriptionStats(env))
  serve(app, env, adminApi.analytics, () => readAnalytics(env))
  serve(app, env, adminApi.system, () => readSystem(env, startedAt, answers))
  serve(app, env, auditApi.list, (_actor, filter) => listAudit(env, filter))
  serve(app, env, auditApi.check, () => checkAudit(env))
  serve(app, env, auditApi.own, (user) => ownAudit(env, user))
}
