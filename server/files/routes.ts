import type { FastifyInstance } from 'fastify'
import { filesApi } from '../../contract/files.ts'
import type { Env } from '../env.ts'
import { serve, serveBytes } from '../http/serve.ts'
import { beginUpload, readObject, takeUpload } from './objects.ts'

export function fileRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, filesApi.upload, (user) => beginUpload(env, user))
  serve(app, env, filesApi.put, (user, { objectId }, caller) => takeUpload(env, user, objectId, caller))
  serveBytes(app, env, filesApi.get, (user, { objectId }) => readObject(env, user, objectId))
}
