import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startWorld } from '../server/testing/world.ts'

const root = path.resolve(import.meta.dirname, '..')
const folder = mkdtempSync(path.join(tmpdir(), 'conclave-release-'))
afterAll(() => rmSync(folder, { recursive: true }))
const [keyFile, releaseFolder] = [path.join(folder, 'key.pem'), path.join(folder, 'release')]
const world = await startWorld({ clientFolder: path.join(root, 'dist/client'), releaseFolder })

/** Runs a command as npm does. Its code and all that it printed. */
const runs = (script: string, ...words: string[]): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', `scripts/${script}.ts`, ...words], { cwd: root }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), text: out + err }),
    )
  })

test('An operator makes a key, signs, and anybody sees that the server hands out what was signed', {
  timeout: 60_000,
}, async () => {
  const made = await runs('release', 'new-key', keyFile)
  const key = /public key: ([\w-]{43})\n/.exec(made.text)?.[1] ?? ''
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  expect(made.text).not.toContain(readFileSync(keyFile, 'utf8').split('\n')[1])
  // The key that browsers know is never written over.
  expect(await runs('release', 'new-key', keyFile)).toMatchObject({ code: 1 })

  expect((await runs('release', 'sign', keyFile, releaseFolder)).code).toBe(0)
  const same = await runs('verify', world.url, key)
  expect([same.code, same.text]).toEqual([
    0,
    expect.stringMatching(new RegExp(`Signed by ${key}\\n[^]*The same: all \\d+ files`)),
  ])
  const other = await runs(
    'verify',
    world.url,
    key.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')),
  )
  expect([other.code, other.text]).toEqual([1, expect.stringContaining('It is not signed by')])
})

test('What is no key signs nothing, and a server that does not answer is not said to be another', async () => {
  const wrong = path.join(folder, 'wrong.pem')
  writeFileSync(wrong, 'rubbish')
  expect(await runs('release', 'sign', wrong, releaseFolder)).toMatchObject({
    code: 1,
    text: expect.stringContaining('holds no key'),
  })
  expect(await runs('verify', 'http://127.0.0.1:9')).toMatchObject({
    code: 2,
    text: expect.stringContaining('could not be asked'),
  })
})
