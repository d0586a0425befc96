import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { RELEASE_ADDRESS } from '../../contract/site/addresses.ts'
import { type Build, contentOf } from '../../contract/site/build.ts'
import { newSigner } from '../../scripts/signing.ts'
import { codeWords } from './codewords.ts'
import { runningCode } from './runningCode.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')
function build(version: string, script: string): Build {
  const content = { version, contract: 4, worker: sha256('worker'), files: { '/': sha256(version), [script]: sha256(script) } }
  return { id: sha256(contentOf(content)), ...content }
}
const [first, second] = [build('1.0.0', '/assets/a-1.js'), build('1.1.0', '/assets/a-2.js')]

let server: Map<string, unknown>
let kept: object[]
const caches = {
  keys: async () => kept.map((each) => `conclave/build/${Object(each).id}`),
  open: async (name: string) => ({
    match: async () => Response.json(kept.find((each) => name.endsWith(Object(each).id))),
  }),
} as unknown as CacheStorage
const fetch = async (address: string) =>
  server.has(address) ? Response.json(server.get(address)) : new Response('', { status: 404 })
const runs = (...scripts: string[]) => runningCode({ scripts, caches, fetch })

beforeEach(() => {
  server = new Map([['/build.json', first]])
  kept = []
})

test('A page says which build it is made of and who has signed that: by its own copy, or else by the server', async () => {
  expect(await runs('/assets/a-1.js')).toEqual({ version: '1.0.0', hash: first.id, signedBy: null, isKept: false })
  const operator = newSigner()
  server.set(RELEASE_ADDRESS, operator.sign(first.id))
  expect(await runs('/assets/a-1.js')).toMatchObject({ signedBy: operator.key, isKept: false })
  kept = [{ ...first, takenAt: 1, signedBy: operator.key }]
  server.set('/build.json', second)
  expect(await runs('/assets/a-1.js')).toEqual({ version: '1.0.0', hash: first.id, signedBy: operator.key, isKept: true })
})

test('A page does not take the server’s new version for its own, nor say something where nothing is known', async () => {
  server.set('/build.json', second)
  expect(await runs('/assets/a-1.js')).toBeUndefined()
  server.clear()
  expect(await runs('/assets/a-1.js')).toBeUndefined()
  expect(await runs()).toBeUndefined()
})

test('Two builds that differ have other words, and the same build the same everywhere', () => {
  expect(codeWords(sha256('one'))).toBe(codeWords(sha256('one')))
  expect(codeWords(sha256('one')).split(' ')).toHaveLength(8)
  expect(codeWords(sha256('one'))).not.toBe(codeWords(sha256('two')))
  expect(codeWords('A'.repeat(43))).toBe(Array(8).fill('abandon').join(' '))
})
