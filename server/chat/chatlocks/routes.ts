import type { FastifyInstance } from 'fastify'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { lockChat, removeChatPassword, setChatPassword, verifyChatPassword } from './chatlocks.ts'

export function chatLockRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, chatLocksApi.set, (user, { contactId, ...given }) => setChatPassword(env, user, contactId, given))
  serve(app, env, chatLocksApi.verify, (user, { contactId, password }) => verifyChatPassword(env, user, contactId, password))
  serve(app, env, chatLocksApi.remove, (user, { contactId }) => removeChatPassword(env, user, contactId))
  serve(app, env, chatLocksApi.lock, (user, { contactId }) => lockChat(env, user, contactId))
}
