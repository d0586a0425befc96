import type { FastifyInstance } from 'fastify'
import { pushApi } from '../../../contract/chat/push.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { quietHours, setQuietHours } from './quiet.ts'
import { pushKey, subscribe, unsubscribe } from './subscriptions.ts'

export function pushRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, pushApi.key, (_user, _input, caller) => pushKey(env, caller))
  serve(app, env, pushApi.subscribe, (user, subscription, caller) => subscribe(env, user, subscription, caller))
  serve(app, env, pushApi.unsubscribe, (user, { endpoint }) => unsubscribe(env, user, endpoint))
  serve(app, env, pushApi.quietHours, (user) => quietHours(env, user))
  serve(app, env, pushApi.setQuietHours, (user, { quietHours: hours }) => setQuietHours(env, user, hours))
}
