import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PAGES, pageOf } from '../../../contract/site/pages.ts'
import type { Env } from '../../env.ts'
import { refuseAddress, sendError } from './errors.ts'
import { listenerOf } from './listener.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** Browsers cache hashed assets for a year. */
export async function servePages(app: FastifyInstance, env: Env, clientFolder: string): Promise<void> {
  const pages = await readPages(clientFolder)
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
  // Other files have no hash in their names.
  await app.register(fastifyStatic, {
    root: clientFolder,
    prefix: '/',
    decorateReply: false,
    index: false,
    wildcard: false,
    globIgnore: ['*.html', 'assets/**'],
    cacheControl: false,
    setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
  })
  app.get<{ Params: { '*': string } }>('/*', (request, reply) => {
    const address = `/${request.params['*']}`
    const shown = pageOf(address)
    // People get a page for unknown addresses (client/early.js), programs an error.
    if (shown === null && !isForPeople(request, address)) return sendError(refuseAddress(request, reply), request, reply)
    if (shown === null) reply.code(404)
    const page = pages.get(shown ?? '/')
    if (page === undefined) return sendError(refuseAddress(request, reply), request, reply)
    reply.type('text/html; charset=utf-8').header('vary', 'accept-encoding')
    const onion = onionOf(env, request)
    if (onion !== undefined) reply.header('onion-location', onion)
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(page.text)
    return reply.header('content-encoding', 'br').send(page.brotli)
  })
}

/** Tor Browser offers to go there. */
function onionOf({ config, onion }: Env, { raw, url }: FastifyRequest): string | undefined {
  if (listenerOf(config, raw.socket).ingress === 'onion') return undefined
  const address = onion.address()
  const origin = config.onionUrl?.origin ?? (address && `http://${address}`)
  return origin && origin + url
}

const isForPeople = ({ headers }: FastifyRequest, address: string): boolean =>
  (headers.accept ?? '').startsWith('text/html') && !/^\/api(\/|$)/.test(address)

async function readPages(clientFolder: string): Promise<Map<string, { text: string; brotli: Buffer }>> {
  const pages = Object.entries(PAGES).flatMap(([address, file]) => (file === null ? [] : [{ address, file }]))
  const read = pages.map(async ({ address, file }) => {
    const text = await readFile(path.join(clientFolder, file), 'utf8')
    return [address, { text, brotli: brotliCompressSync(text) }] as const
  })
  return new Map(await Promise.all(read))
}
