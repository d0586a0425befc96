import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { people } from '../testing/room.ts'
import { openDemonstration } from '../worker/demonstration.ts'
import { makeKit } from '../worker/keys/kit.ts'
import { CLAIMS, claim } from './claims.ts'
import { Security } from './Security.tsx'

// Each figure of /security against the product: claims.ts names these tests, and the check that they are here.

const TEXT = 'Sign before six. I will countersign from Geneva.'
const figureOf = (id: string) => claim(id).figure?.value

/** The words of the text that stand in an envelope, as it is or in the bytes of its parts. */
function wordsIn(envelope: string): string[] {
  const parts = Object.values(JSON.parse(envelope)).filter((part) => typeof part === 'string')
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part, 'base64'))).toString('latin1')
  return (TEXT.match(/\w{4,}/g) ?? []).filter((word) => `${envelope} ${bytes}`.includes(word))
}

test('No word of a text stands in what the server is handed', async () => {
  const { seal } = await openDemonstration(new Date())
  // The search finds what is only encoded.
  expect(wordsIn(JSON.stringify({ v: 1, body: Buffer.from(TEXT).toString('base64') }))).toHaveLength(6)
  expect(wordsIn(await seal(TEXT))).toHaveLength(figureOf('zero-knowledge') ?? -1)
})

test('The key of a message opens it once', async () => {
  const { seal, open } = await openDemonstration(new Date())
  const envelope = await seal(TEXT)
  // A body begins with the commitment to its key.
  const keys = new Set<string>()
  for (const text of [TEXT, TEXT, TEXT]) {
    const { body } = JSON.parse(await seal(text))
    keys.add(Buffer.from(String(body), 'base64').subarray(0, 32).toString('hex'))
  }
  expect(keys.size / 3).toBe(figureOf('forward-secrecy'))
  let opened = 0
  for (let at = 0; at < 3; at++)
    opened += await open(envelope).then(
      () => 1,
      () => 0,
    )
  expect(opened).toBe(figureOf('forward-secrecy'))
})

test('The public key of a device has both parts, whole', async () => {
  const { sealingKeyBytes } = await openDemonstration(new Date())
  expect(sealingKeyBytes).toBe(figureOf('quantum-resistance'))
})

test('The safety number of two people has so many digits', async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  const { digits } = await alice.core.safetyNumber({ userId: bob.userId })
  expect(digits.match(/\d/g)).toHaveLength(figureOf('zero-interception') ?? -1)
})

test('A new recovery kit has so many words', async () => {
  expect((await makeKit()).words).toHaveLength(figureOf('recovery-kit') ?? -1)
})

test('The page says how many claims it has, with a figure and without', () => {
  const [withFigure, others] = [CLAIMS.filter(({ figure }) => figure), CLAIMS.filter(({ figure }) => !figure)]
  expect([withFigure.length, others.length]).toEqual([5, 16])
  const page = renderToStaticMarkup(Security())
  expect(page).toContain('Five claims with a figure each, sixteen more below.')
  expect(page.match(/<article/g)).toHaveLength(CLAIMS.length)
})
