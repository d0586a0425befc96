import { expect, test } from 'vitest'
import { codeWords } from '../net/codewords.ts'
import type { KeptBuild } from '../net/keptBuilds.ts'
import type { Fault, Outcome } from '../net/offered.ts'
import { nothingRefused, stopped } from './stopped.ts'

const hash = (letter: string) => letter.repeat(43)
const build = (letter: string, version: string, signedBy: string | null = null): KeptBuild => ({
  ...{ id: hash(letter), version, contract: 4, takenAt: 1, signedBy },
  files: { '/': hash('x') },
})
const buttons = (html: string) => [...html.matchAll(/<button[^>]*>([^<]+)/g)].map(([, words]) => words)

const shown = async (faults: Fault[], more: { running?: KeptBuild; before?: KeptBuild; key?: string } = {}) => {
  const { running, before, key = null } = more
  const answer = stopped({ running, before, offer: build('o', '9.0.0', key), faults })
  expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  return answer.text()
}

test('Whatever was refused, its person has something to press, and goes on with the copy of before where there is one', async () => {
  const words = {
    unsigned: 'Start it without a signature',
    other_key: 'Accept this key',
    older: 'Start the older version',
    far: 'Start this version',
    undone: 'Start it again',
  }
  for (const [fault, label] of Object.entries(words)) {
    const before = build('b', '1.0.0')
    expect(buttons(await shown([fault as Fault], { before }))).toEqual(['Start the copy of before', label])
    expect(buttons(await shown([fault as Fault]))).toEqual([label])
  }
})

test('The page names all that speaks against a version: an older one does not bring another key along unseen', async () => {
  const html = await shown(['other_key', 'older'], { key: hash('k'), running: build('r', '1.2.0') })
  for (const words of [
    hash('k'),
    codeWords(hash('k')),
    'signed by another one',
    'is older than what',
    'Go on with version 1.2.0',
  ])
    expect(html).toContain(words)
  expect(buttons(html)).toEqual(['Accept this key'])
})

test('Where nothing was refused, the page of the versions still leads back to the copy of before', async () => {
  const [running, before] = [build('r', '1.2.0'), build('b', '1.1.0')]
  const answer = nothingRefused({ running, before, offer: running, faults: [] }, 'current')
  expect(answer.status).toBe(200)
  expect(buttons(await answer.text())).toEqual(['Start the copy of before'])
})

test('The page of the versions does not say that this browser has the server’s version where it cannot know, or could not keep it', async () => {
  const running = build('r', '1.2.0')
  const words = async (outcome: Outcome) =>
    await nothingRefused({ running, before: build('b', '1.1.0'), offer: undefined, faults: [] }, outcome).text()
  expect(await words('taken')).toContain('This browser has what the server hands out. It runs version 1.2.0.')
  expect(await words('away')).toContain('The server cannot be reached')
  expect(await words('full')).toContain('no room left')
  for (const outcome of ['away', 'full'] as const) expect(await words(outcome)).not.toContain('has what the server hands out')
})
