import path from 'node:path'
import type { BuildOptions } from 'esbuild'

const root = path.resolve(import.meta.dirname, '..')

/** esbuild's options for the programs that run on the server: dist/server.mjs and dist/account.mjs. */
export const PROGRAMS: BuildOptions = {
  entryPoints: { server: path.join(root, 'server/main.ts'), account: path.join(root, 'scripts/account.ts') },
  outdir: path.join(root, 'dist'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
}
