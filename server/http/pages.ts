import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { refuseAddress, sendError } from './errors.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** Maps addresses to entries of the built client. The longest prefix of whole segments decides; null means no page. */
const ENTRIES: Readonly<Record<string, string | null>> = {
  '/': 'index.html',
  '/.well-known': null,
  '/api': null,
  '/assets': null,
  '/objects': null,
  '/offline': 'offline.html',
  '/s3': null,
  '/ws': null,
}

/** Serves the built client: its entries, and hashed assets that browsers cache for a year. */
export async function servePages(app: FastifyInstance, clientFolder: string): Promise<void> {
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
    reply.type('text/html; charset=utf-8').header('vary', 'accept-encoding')
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(page.text)
    return reply.header('content-encoding', 'br').send(page.brotli)
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

/** The HTML of each entry, by file name: the same bytes for everybody. */
async function readEntries(clientFolder: string): Promise<Map<string, { text: string; brotli: Buffer }>> {
  const names = new Set(Object.values(ENTRIES).filter((entry) => entry !== null))
  const pages = [...names].map(async (name) => {
    const text = await readFile(path.join(clientFolder, name), 'utf8')
    return [name, { text, brotli: brotliCompressSync(text) }] as const
  })
  return new Map(await Promise.all(pages))
}
