import type { FastifyInstance } from 'fastify'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { muteRoom, unmuteRoom } from './mute.ts'
import { listNotifications, readNotifications, unreadCount } from './notifications.ts'

export function notificationRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, notificationsApi.unreadCount, (user) => unreadCount(env, user), { hasEtag: true })
  serve(app, env, notificationsApi.list, (user, asked) => listNotifications(env, user, asked))
  serve(app, env, notificationsApi.read, (user, { rooms }) => readNotifications(env, user, rooms))
  serve(app, env, notificationsApi.mute, (user, { chatRoomId, term }) => muteRoom(env, user, chatRoomId, term))
  serve(app, env, notificationsApi.unmute, (user, { chatRoomId }) => unmuteRoom(env, user, chatRoomId))
}
