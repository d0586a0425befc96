import type { FastifyInstance } from 'fastify'
import { notificationsApi } from '../../contract/notifications.ts'
import type { Env } from '../env.ts'
import { serve } from '../http/serve.ts'
import { unreadCount } from './notifications.ts'

export function notificationRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, notificationsApi.unreadCount, (user) => unreadCount(env, user), { hasEtag: true })
}
