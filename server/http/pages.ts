import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { Refusal } from '../refuse.ts'
import { sendError } from './errors.ts'
import { policyOf } from './headers.ts'
import { listenerOf } from './listener.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** The built client: hashed assets for a year, and the one page for every address that is the app's own. */
export async function servePages(app: FastifyInstance, config: Config, clientFolder: string): Promise<void> {
  const html = await readFile(path.join(clientFolder, 'index.html'), 'utf8')
  await app.register(fastifyStatic, {
    root: path.join(clientFolder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    redirect: false,
    preCompressed: true,
    immutable: true,
    maxAge: YEAR_MS,
  })
  // The icon and whatever else has a name of its own.
  await app.register(fastifyStatic, {
    root: clientFolder,
    prefix: '/',
    decorateReply: false,
    index: false,
    wildcard: false,
    globIgnore: ['index.html', 'assets/**'],
    cacheControl: false,
    setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
  })
  app.get('/*', (request, reply) => {
    const address = request.url.split('?')[0] ?? '/'
    // A name with a dot is a file that is not there, never a page.
    if (address === '/api' || /^\/(api|assets|ws)\//.test(address) || /\.[^/]*$/.test(address)) {
      return sendError(new Refusal('not_found'), request, reply)
    }
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', policyOf(listenerOf(config, request.raw), nonce)).type('text/html; charset=utf-8')
    return reply.send(html.replaceAll('__NONCE__', nonce))
  })
}
