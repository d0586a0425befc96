import type { FastifyInstance } from 'fastify'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { endOne, endOthers, listSessions } from './listSessions.ts'
import { sleep } from './sessions.ts'
import { answerSignIns, newSignIns } from './signins.ts'

export function sessionRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, sessionsApi.list, (user) => listSessions(env, user))
  serve(app, env, sessionsApi.end, (user, { sessionId }) => endOne(env, user, sessionId))
  serve(app, env, sessionsApi.endOthers, (user) => endOthers(env, user))
  serve(app, env, sessionsApi.sleep, (user) => sleep(env, user))
  serve(app, env, sessionsApi.signIns, (user) => newSignIns(env, user))
  serve(app, env, sessionsApi.answerSignIns, (user, { ids }) => answerSignIns(env, user, ids))
}
