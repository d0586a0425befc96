import type { FastifyInstance } from 'fastify'
import { callsApi } from '../../../contract/chat/calls.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { relaysFor } from './relay.ts'
import { callSettings, updateCallSettings } from './settings.ts'

export function callRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, callsApi.turn, (user, input, caller) => relaysFor(env, user, input, caller))
  serve(app, env, callsApi.settings, (user) => callSettings(env, user))
  serve(app, env, callsApi.updateSettings, (user, settings) => updateCallSettings(env, user, settings))
}
