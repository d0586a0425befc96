import type { FastifyInstance } from 'fastify'
import { checkJsonText, refuseNulInUrl } from './input.ts'

/** Bodies are JSON, nothing else; vast ones, `__proto__` and NUL characters are refused before anything reads them. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    try {
      checkJsonText(body)
    } catch (error) {
      done(error instanceof Error ? error : new Error('unreadable'))
      return
    }
    parse(request, body, done)
  })
  app.addHook('onRequest', async (request) => refuseNulInUrl(request.url))
}
