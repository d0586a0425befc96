import type { FastifyInstance } from 'fastify'
import { filesApi, uploaderApi } from '../../../contract/chat/files.ts'
import type { Env } from '../../env.ts'
import { serve, serveBytes } from '../../ground/http/serve.ts'
import { completeParts } from './complete.ts'
import { finishDirect } from './direct.ts'
import { readObject, removeFile } from './objects.ts'
import { abortParts, beginParts, listParts, signPart } from './parts.ts'
import { beginFile, beginPhoto, takeUpload } from './uploads.ts'

export function fileRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, filesApi.upload, (user) => beginPhoto(env, user))
  serve(app, env, filesApi.put, (user, input, caller) => takeUpload(env, user, input, caller))
  serveBytes(app, env, filesApi.get, (user, input, caller) => readObject(env, user, input, caller))
  serve(app, env, filesApi.finish, (user, { objectId }) => finishDirect(env, user, objectId))
  serve(app, env, filesApi.remove, (user, { objectId }) => removeFile(env, user, objectId))
  serve(app, env, uploaderApi.params, (user, input, caller) => beginFile(env, user, input, caller))
  serve(app, env, uploaderApi.begin, (user, _, caller) => beginParts(env, user, caller))
  serve(app, env, uploaderApi.parts, (user, input) => listParts(env, user, input))
  serve(app, env, uploaderApi.sign, (user, input) => signPart(env, user, input))
  serve(app, env, uploaderApi.complete, (user, input, caller) => completeParts(env, user, input, caller))
  serve(app, env, uploaderApi.abort, (user, input) => abortParts(env, user, input))
}
