import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'

/** Bundles a file of client/ for Node and returns what it exports: components that the build renders to HTML. */
export async function loadForBuild<T>(file: string): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'conclave-render-'))
  try {
    const outfile = path.join(folder, 'bundle.cjs')
    await build({
      entryPoints: [path.join(import.meta.dirname, '../client', file)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      jsx: 'automatic',
      loader: { '.css': 'empty' },
      // Node has no WebSocket, and nothing is connected.
      define: { 'process.env.NODE_ENV': '"production"', WebSocket: 'undefined' },
      logLevel: 'error',
    })
    return createRequire(outfile)(outfile)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
