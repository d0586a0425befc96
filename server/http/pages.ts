import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { refuseAddress, sendError } from './errors.ts'
import { policyOf } from './headers.ts'
import { listenerOf } from './listener.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** Maps addresses to entries of the built client. The longest prefix of whole segments decides; null means no page. */
const ENTRIES: Readonly<Record<string, string | null>> = {
  '/': 'index.html',
  '/.well-known': null,
  '/api': null,
  '/assets': null,
  '/objects': null,
  '/s3': null,
  '/ws': null,
}

/** Serves the built client: its entries, and hashed assets that browsers cache for a year. */
export async function servePages(app: FastifyInstance, config: Config, clientFolder: string): Promise<void> {
  const pages = await readEntries(clientFolder)
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
  // Other files, such as the icon, have names without a hash.
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
    const page = pages.get(entryOf(`/${request.params['*']}`) ?? '')
    if (page === undefined) return sendError(refuseAddress(request, reply), request, reply)
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', policyOf(listenerOf(config, request.raw), nonce)).type('text/html; charset=utf-8')
    return reply.send(page.replaceAll('__NONCE__', nonce))
  })
}

/** The entry for an address, which is decoded and without query; null if the address is no page. */
function entryOf(address: string): string | null {
  // A last segment with a dot is a missing file, never a page.
  if (/\.[^/]*$/.test(address)) return null
  const segments = address.split('/').slice(1)
  for (let count = segments.length; count > 0; count--) {
    const entry = ENTRIES[`/${segments.slice(0, count).join('/')}`]
    if (entry !== undefined) return entry
  }
  return ENTRIES['/'] ?? null
}

/** The HTML of each entry, by file name. */
async function readEntries(clientFolder: string): Promise<Map<string, string>> {
  const names = new Set(Object.values(ENTRIES).filter((entry) => entry !== null))
  const texts = [...names].map(async (name) => [name, await readFile(path.join(clientFolder, name), 'utf8')] as const)
  return new Map(await Promise.all(texts))
}
