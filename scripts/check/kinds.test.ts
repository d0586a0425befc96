import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const house = resolve(import.meta.dirname, '../..')

/** The files that say something of each kind of message. Whoever adds a kind is led to them by the compiler. */
const PLACES = [
  'client/chat/export/writeChat.ts',
  'client/chat/files/sharedPage.ts',
  'client/chat/messages/Bubble.tsx',
  'client/chat/messages/news.ts',
  'client/chat/messages/shown.ts',
  'client/chat/messages/store.ts',
  'client/rooms/list/preview.ts',
  'contract/chat/kinds/kinds.ts',
]

const CONTENT = 'contract/chat/content.ts'
const isTest = (path: string) => /\.test\.tsx?$|[\\/]testing([\\/]|\.ts$)/.test(path)

/** The files in which the compiler finds an error once the contents have a kind that nothing else knows. */
async function namedWith(kind: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-kinds-'))
  try {
    for (const end of ['client', 'contract'])
      await cp(join(house, end), join(folder, end), { recursive: true, filter: (path) => !isTest(path.slice(house.length)) })
    for (const linked of ['node_modules', 'package.json']) await symlink(join(house, linked), join(folder, linked))
    const content = await readFile(join(house, CONTENT), 'utf8')
    const grown = content.replace('const KINDS = [', `const KINDS = [\n  ${kind}`)
    await writeFile(join(folder, CONTENT), grown)
    const settings = { extends: join(house, 'tsconfig.json'), include: ['client', 'contract'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    const compiler = join(house, 'node_modules/typescript/bin/tsc')
    const said = await new Promise<string>((done) => {
      execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { cwd: folder, maxBuffer: 1e8 }, (_, stdout) =>
        done(stdout),
      )
    })
    return [...new Set([...said.matchAll(/^([^\s(][^(\n]*)\(\d+,\d+\): error/gm)].map(([, file = '']) => file))].sort()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test('The compiler names every place that says something of a kind of message, and none beside them', async () => {
  expect(await namedWith("z.object({ type: z.literal('trial'), trial: z.string() }),")).toEqual(PLACES)
}, 120_000)

test('No file asks which kind content is: what differs by kind stands in a record', async () => {
  const asking: string[] = []
  for (const end of ['client', 'contract', 'server'])
    for (const name of await readdir(join(house, end), { recursive: true })) {
      const path = `${end}/${name}`
      if (!/\.tsx?$/.test(path) || isTest(path)) continue
      if (/\btype [!=]== '(text|file)'/.test(await readFile(join(house, path), 'utf8'))) asking.push(path)
    }
  // The page for strangers opens the text that it has sealed itself, and what seals files makes content of them alone.
  expect(asking.sort()).toEqual(['client/worker/demonstration.ts', 'client/worker/files/sealFile.ts'])
})
