import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build as esbuild } from 'esbuild'
import { build as vite } from 'vite'
import { PROGRAMS } from './programs.ts'

const root = path.resolve(import.meta.dirname, '..')

// Builds the client into dist/client, the server and the command line into dist/. Vite warns about Node code that browsers never run.
await vite({ configFile: path.join(root, 'vite.config.ts'), logLevel: 'error' })
compress(path.join(root, 'dist/client/assets'))
await esbuild(PROGRAMS)

function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|css|svg|wasm|json|ttf)$/.test(name)) continue
    const file = path.join(folder, name)
    const bytes = readFileSync(file)
    if (bytes.length < 1024) continue
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  }
}
