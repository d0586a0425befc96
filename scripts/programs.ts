import path from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'

const root = path.resolve(import.meta.dirname, '..')

/** esbuild's options for a program that runs on the server, in one file. */
export const PROGRAM: BuildOptions = {
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

/** Leaves the sandbox of cards out of the other programs: what moves no money is no part of what takes it. */
const sandboxApart: Plugin = {
  name: 'sandbox-apart',
  setup(build) {
    build.onResolve({ filter: /\/sandbox\/open\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './sandbox.mjs', external: true } : undefined,
    )
  },
}

/** dist/server.mjs, the commands, and dist/sandbox.mjs, which they load where the settings choose it. */
export const PROGRAMS: BuildOptions = {
  ...PROGRAM,
  entryPoints: {
    server: path.join(root, 'server/main.ts'),
    account: path.join(root, 'scripts/account.ts'),
    backup: path.join(root, 'scripts/backup.ts'),
    restore: path.join(root, 'scripts/restore.ts'),
    sandbox: path.join(root, 'server/sandbox/open.ts'),
  },
  plugins: [sandboxApart],
}
