import path from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { PROGRAMS } from './programs.ts'

test('What production runs has nothing of the sandbox of cards: that is a program of its own, which the others load by its name', async () => {
  const { metafile } = await build({ ...PROGRAMS, write: false, metafile: true })
  const programs = Object.entries(metafile?.outputs ?? {}).filter(([file]) => file.endsWith('.mjs'))
  const ofSandbox = programs.map(([file, { inputs }]) => [
    path.basename(file),
    Object.keys(inputs).some((source) => source.includes('server/sandbox/')),
  ])
  expect(Object.fromEntries(ofSandbox)).toEqual({
    'server.mjs': false,
    'account.mjs': false,
    'backup.mjs': false,
    'restore.mjs': false,
    'sandbox.mjs': true,
  })
  const [, server] = programs.find(([file]) => file.endsWith('/server.mjs')) ?? []
  expect(server?.imports).toContainEqual({ path: './sandbox.mjs', kind: 'dynamic-import', external: true })
})
