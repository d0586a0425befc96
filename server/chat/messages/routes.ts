import type { FastifyInstance } from 'fastify'
import { messagesApi } from '../../../contract/chat/messages.ts'
import type { Env } from '../../env.ts'
import { serve, serveJson } from '../../ground/http/serve.ts'
import { makeShortcut, type Shortcut, type ShortcutOptions } from '../../ground/http/shortcut.ts'
import { rememberSessions } from '../../identity/sessions/liveSessions.ts'
import { markDelivered, markRead } from './marks.ts'
import { postMessage } from './messages.ts'
import { listMessages } from './pages.ts'

export function messageRoutes(app: FastifyInstance, env: Env) {
  serveJson(app, env, messagesApi.list, (user, page) => listMessages(env, user, page))
  serveJson(app, env, messagesApi.send, (user, draft) => postMessage(env, user, draft))
  serve(app, env, messagesApi.markRead, (user, { chatRoomId, seq }) => markRead(env, user, chatRoomId, seq))
  serve(app, env, messagesApi.markDelivered, (user, { chatRoomId, seq }) => markDelivered(env, user, chatRoomId, seq))
}

/** Most requests send a message or raise a mark. */
export function messageShortcuts(app: FastifyInstance, env: Env, options: ShortcutOptions): Shortcut[] {
  const { findKnown, findSender } = rememberSessions(env)
  const marking = { ...options, findUser: findKnown }
  return [
    makeShortcut(app, env, messagesApi.send, {
      ...options,
      findUser: findSender,
      act: (user, draft) => postMessage(env, user, draft),
    }),
    makeShortcut(app, env, messagesApi.markRead, {
      ...marking,
      act: async (user, { chatRoomId, seq }) => JSON.stringify(await markRead(env, user, chatRoomId, seq)),
    }),
    makeShortcut(app, env, messagesApi.markDelivered, {
      ...marking,
      act: async (user, { chatRoomId, seq }) => JSON.stringify(await markDelivered(env, user, chatRoomId, seq)),
    }),
  ]
}
