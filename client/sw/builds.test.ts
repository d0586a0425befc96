import { expect, test } from 'vitest'
import { compareVersions, readBuild } from '../../contract/site/build.ts'
import { pageOf } from '../../contract/site/pages.ts'
import type { KeptBuild } from '../net/keptBuilds.ts'
import { answering, judge, NOTHING_SEEN, newestOf, outdated, seenWith } from './builds.ts'
import { isAcceptance } from './stopped.ts'

const hash = (letter: string) => letter.repeat(43)
const build = (letter: string, version: string, { contract = 4, takenAt = 1 } = {}): KeptBuild => ({
  ...{ id: hash(letter), version, contract, takenAt, signedBy: null },
  files: { '/': hash('x'), '/assets/a-1.js': hash('y') },
})

test('The newest version is started, and of one version the build that the server had last', () => {
  const [a, b, c] = [
    build('a', '1.9.0', { takenAt: 3 }),
    build('b', '1.10.0', { takenAt: 1 }),
    build('c', '1.10.0', { takenAt: 2 }),
  ]
  expect(newestOf([])).toBeUndefined()
  expect(newestOf([a, b])).toBe(b)
  expect(newestOf([b, a])).toBe(b)
  expect(newestOf([c, b, a])).toBe(c)
  expect(newestOf([b, c])).toBe(c)
})

test('A server that offers an older version, or an older contract, brings no old client back', () => {
  const kept = [build('a', '1.2.0')]
  expect(judge(build('b', '1.1.9'), kept, NOTHING_SEEN)).toBe('older')
  expect(judge(build('b', '1.2.0', { contract: 3 }), kept, NOTHING_SEEN)).toBe('older')
  expect(judge(build('b', '1.2.1'), kept, NOTHING_SEEN)).toBe('take')
  expect(judge(build('b', '1.2.0'), kept, NOTHING_SEEN)).toBe('take')
  expect(judge(build('a', '1.2.0'), kept, NOTHING_SEEN)).toBe('current')
  expect(judge(build('b', '0.0.1'), [], NOTHING_SEEN)).toBe('take')
  expect(compareVersions('1.10.0', '1.9.9')).toBeGreaterThan(0)
})

test('The builds before the newest stay for tabs that began with them, and the oldest go', () => {
  const kept = ['a', 'b', 'c', 'd'].map((letter, at) => build(letter, '1.0.0', { takenAt: at }))
  expect(outdated(kept).map(({ id }) => id)).toEqual([hash('a')])
  expect(outdated(kept.slice(0, 3))).toEqual([])
})

const asks = (address: string, mode = 'cors', method = 'GET') =>
  answering({ url: `https://chat.example${address}`, mode, method }, 'https://chat.example')

test('Pages, their parts and the icons are answered; whatever the server knows is asked of the server', () => {
  for (const page of ['/', '/chat/dm_1', '/settings?tab=security', '/offline'])
    expect(asks(page, 'navigate'), page).toEqual({ from: 'page', address: '/' })
  expect(asks('/assets/index-abc.js')).toEqual({ from: 'asset', address: '/assets/index-abc.js' })
  expect(asks('/icon-192.png')).toEqual({ from: 'file', address: '/icon-192.png' })
  for (const address of ['/api/user', '/api', '/ws', '/objects/uploads/x', '/build.json', '/s3/x'])
    for (const mode of ['navigate', 'cors']) expect(asks(address, mode), address).toBeNull()
  expect(asks('/', 'navigate', 'POST')).toBeNull()
  expect(answering({ url: 'https://evil.example/assets/a.js', mode: 'cors', method: 'GET' }, 'https://chat.example')).toBeNull()
  expect(asks('/%E0%A4%A', 'navigate')).toEqual({ from: 'page', address: '/' })
})

test('Only what is said to be a build is one', () => {
  const { takenAt: _, signedBy: _none, ...right } = build('a', '1.2.3')
  expect(readBuild(right)).toEqual(right)
  for (const wrong of [
    ...[null, 'x', [], {}, { ...right, id: 'short' }, { ...right, version: '1.2' }, { ...right, version: 'v1.2.3' }],
    ...[
      { ...right, contract: '4' },
      { ...right, files: {} },
      { ...right, files: { '/': 'short' } },
    ],
    ...[
      { ...right, files: { 'https://evil.example/': hash('x') } },
      { ...right, files: { '/': 1 } },
    ],
    { ...right, files: Object.fromEntries(Array.from({ length: 5001 }, (_each, at) => [`/${at}`, hash('x')])) },
  ])
    expect(readBuild(wrong), JSON.stringify(wrong).slice(0, 60)).toBeUndefined()
})

test('No name of an object’s own methods is an address without a page', () => {
  expect(pageOf('/constructor')).toBe('/')
  expect(pageOf('/toString/x')).toBe('/')
  expect(pageOf('/api/x')).toBeNull()
})

test('The newest version is remembered without a copy, and the first key is: neither falls back by itself', () => {
  const signed = { ...build('a', '1.2.0'), signedBy: hash('k') }
  const seen = seenWith(NOTHING_SEEN, signed)
  expect(seen).toEqual({ key: hash('k'), newest: { version: '1.2.0', contract: 4 } })
  expect(seenWith(seen, { ...build('b', '1.1.0'), signedBy: hash('o') })).toEqual(seen)
  expect(judge({ ...signed, version: '1.1.0' }, [], seen)).toBe('older')
  expect(judge({ ...signed, contract: 3 }, [], seen)).toBe('older')
  expect(judge({ ...signed, signedBy: null }, [], seen)).toBe('unsigned')
  expect(judge({ ...signed, signedBy: hash('o') }, [], seen)).toBe('other_key')
  expect(judge(signed, [], seen)).toBe('take')
})

test('No other site accepts a key for the person: only the form of the page that this browser made itself', () => {
  const form = {
    method: 'POST',
    mode: 'navigate',
    url: 'https://chat.example/accept-key',
    referrer: 'https://chat.example/x',
  } as const
  const is = (more: object) => isAcceptance({ ...form, ...more }, 'https://chat.example')
  expect(is({})).toBe(true)
  for (const wrong of [
    ...[{ referrer: '' }, { referrer: 'https://evil.example/' }, { referrer: 'about:client' }, { method: 'GET' }],
    ...[{ url: 'https://chat.example/' }, { mode: 'cors' }],
  ])
    expect(is(wrong), JSON.stringify(wrong)).toBe(false)
})
