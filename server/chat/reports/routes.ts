import type { FastifyInstance } from 'fastify'
import { reportsApi } from '../../../contract/chat/reports.ts'
import type { Env } from '../../env.ts'
import { serve } from '../../ground/http/serve.ts'
import { listReports, sendReport } from './reports.ts'

export function reportRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, reportsApi.send, (user, report) => sendReport(env, user, report))
  serve(app, env, reportsApi.list, (_actor, { before }) => listReports(env, before))
}
