import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { root } from './ground.ts'
import { freePort } from './tcp.ts'

/** The package converse.js 14, which only this figure needs: `npm install --no-save converse.js@14`, or its folder in CONVERSE. */
const PACKAGE = process.env['CONVERSE'] ?? path.join(root, 'node_modules/converse.js')

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="stylesheet" href="/dist/converse.min.css">
<script type="module" src="/dist/converse.min.js"></script></head><body class="converse-fullscreen"><script type="module">
converse.initialize({ view_mode: 'fullscreen', authentication: 'login', bosh_service_url: '/bosh', assets_path: '/dist/',
  discover_connection_methods: false, i18n: 'en', loglevel: 'fatal' })
</script></body></html>`

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

export const isConverseInstalled = (): boolean => existsSync(path.join(PACKAGE, 'dist/converse.min.js'))

/** Serves Converse.js with its login form, compressed as the product's own files are. Nothing answers at its XMPP address. */
export async function startConverse(): Promise<{ url: string; stop: () => void }> {
  const packed = new Map<string, Buffer>()
  const pack = (name: string, bytes: Buffer): Buffer => {
    const known = packed.get(name) ?? brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
    packed.set(name, known)
    return known
  }
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname
    const file = path.join(PACKAGE, path.normalize(name))
    if (name !== '/' && (!name.startsWith('/dist/') || !existsSync(file))) return response.writeHead(404).end()
    const type = name === '/' ? 'text/html' : TYPES[path.extname(name)]
    if (!type) return response.end(readFileSync(file))
    const body = pack(name, name === '/' ? Buffer.from(PAGE) : readFileSync(file))
    return response.writeHead(200, { 'content-type': type, 'content-encoding': 'br' }).end(body)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  // Compressed before the first visit, so that no visit waits for it.
  for (const name of ['/dist/converse.min.js', '/dist/converse.min.css']) pack(name, readFileSync(path.join(PACKAGE, name)))
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() }
}
