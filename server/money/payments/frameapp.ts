import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Env } from '../../env.ts'
import { sendError } from '../../ground/http/errors.ts'
import { type NoteAnswer, noteRequests } from '../../ground/http/log.ts'
import { Refusal } from '../../refuse.ts'
import type { FrameSettings } from '../../settings/cardsettings.ts'
import { FRAME_CODE, FRAME_PAGE, FRAME_SCRIPT, frameHeaders, framePage } from './frame.ts'

const BODY_BYTES = 4096

/** Shares neither sessions nor cookies with the messenger; other addresses are 404. */
export async function makeFrameApp(
  { config, card }: Env,
  frame: FrameSettings,
  { log, notes }: { log: FastifyBaseLogger; notes: readonly NoteAnswer[] },
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    requestIdHeader: false,
    bodyLimit: BODY_BYTES,
    routerOptions: { maxParamLength: 200 },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      reply.headers(frameHeaders(config, request.socket.localPort))
      void sendError(error, request, reply)
    },
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(frameHeaders(config, request.socket.localPort))
    // The body is not read yet.
    if (request.is404) throw new Refusal('not_found')
  })
  noteRequests(app, notes)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => sendError(new Refusal('not_found'), request, reply))
  app.get(FRAME_PAGE, (request, reply) =>
    reply.type('text/html; charset=utf-8').send(framePage(config, frame, request.socket.localPort)),
  )
  app.get(FRAME_SCRIPT, (_request, reply) => reply.type('text/javascript; charset=utf-8').send(FRAME_CODE))
  card.inside?.frameRoutes(app, (port) => config.direct.origins(port)[0] ?? '')
  await app.ready()
  return app
}
