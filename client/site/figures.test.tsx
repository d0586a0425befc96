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

test('No word of a text stands in what the server is handed', async () => {
  const { seal } = await openDemonstration(new Date())
  const envelope = await seal(TEXT)
  const words = TEXT.match(/\w{4,}/g) ?? []
  expect(words).toHaveLength(6)
  expect(words.filter((word) => envelope.includes(word))).toHaveLength(figureOf('zero-knowledge') ?? -1)
})

test('The key of a message opens it once', async () => {
  const { seal, open } = await openDemonstration(new Date())
  const envelope = await seal(TEXT)
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
  expect([withFigure.length, others.length]).toEqual([5, 15])
  const page = renderToStaticMarkup(Security())
  expect(page).toContain('Five claims with a figure each, fifteen more below.')
  expect(page.match(/<article/g)).toHaveLength(CLAIMS.length)
})
