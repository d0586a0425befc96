import type { FastifyInstance } from 'fastify'
import { privacyApi } from '../../../contract/people/privacy.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { updatePrivacy } from './privacy.ts'

export function privacyRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, privacyApi.update, (user, change) => updatePrivacy(env, user, change))
}
