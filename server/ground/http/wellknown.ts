import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { RELEASE_ADDRESS } from '../../../contract/site/addresses.ts'
import { refuseAddress } from './errors.ts'

const WELL_KNOWN = '/.well-known/'
/** Nothing else of the folder is served (docs.webcat.tech). */
const SERVED = [
  RELEASE_ADDRESS,
  ...['enrollment', 'manifest', 'bundle', 'bundle-prev'].map((name) => `${WELL_KNOWN}webcat/${name}.json`),
]

/** Reads files at each request, so that a new signature counts immediately. */
export function serveWellKnown(app: FastifyInstance, releaseFolder: string): void {
  for (const address of SERVED) {
    const file = path.join(releaseFolder, address.slice(WELL_KNOWN.length))
    app.get(address, async (request, reply) => {
      const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
        throw error
      })
      if (!bytes) throw refuseAddress(request, reply)
      return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(bytes)
    })
  }
}
