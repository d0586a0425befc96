import { expect, test } from 'vitest'
import { compareVersions, readBuild } from '../../contract/site/build.ts'
import { pageOf } from '../../contract/site/pages.ts'
import type { KeptBuild } from '../net/keptBuilds.ts'
import { answering, faultsOf, judge, NOTHING_SEEN, newestOf, outdated, seenWith } from './builds.ts'
import { isDecision } from './stopped.ts'

const hash = (letter: string) => letter.repeat(43)
const build = (letter: string, version: string, { contract = 4, takenAt = 1 } = {}): KeptBuild => ({
  ...{ id: hash(letter), version, contract, takenAt, signedBy: null },
  files: { '/': hash(letter), '/assets/a-1.js': hash('y') },
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
    expect(asks(address), address).toBeNull()
  expect(asks('/', 'cors', 'POST')).toBeNull()
  expect(answering({ url: 'https://evil.example/assets/a.js', mode: 'cors', method: 'GET' }, 'https://chat.example')).toBeNull()
  expect(asks('/%E0%A4%A', 'navigate')).toEqual({ from: 'page', address: '/' })
})

test('No link leads to a page of the server’s own: whatever is no page of Conclave is not asked of the server', () => {
  const places = ['/x.html', '/api/user', '/api', '/ws', '/objects/uploads/x', '/build.json', '/s3/x', '/sw.js', '/robots.txt']
  for (const address of [
    ...places,
    '/.well-known/x',
    '/assets/x.html',
    '/manifest.webmanifest',
    '/sandbox/checkout/1',
    '/%78.html',
  ])
    expect(asks(address, 'navigate')?.from, address).toBe('nowhere')
  for (const address of ['/', '/chat/dm_1', '/x.html', '/version'])
    expect(asks(address, 'navigate', 'POST')?.from, address).toBe('nowhere')
  expect(asks('/version', 'navigate')?.from).toBe('version')
  const other = { url: 'https://pay.example/x.html', mode: 'navigate', method: 'GET' }
  expect(answering(other, 'https://chat.example')).toBeNull()
})

test('Test cards are still paid where the server runs on the person’s own machine', () => {
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])
    for (const method of ['GET', 'POST'])
      expect(answering({ url: `${origin}/sandbox/checkout/1`, mode: 'navigate', method }, origin), origin).toBeNull()
})

test('Only what is said to be a build is one', () => {
  const { takenAt: _, signedBy: _none, ...right } = build('a', '1.2.3')
  expect(readBuild(right)).toEqual(right)
  for (const wrong of [
    ...[null, 'x', [], {}, { ...right, id: 'short' }, { ...right, version: '1.2' }, { ...right, version: 'v1.2.3' }],
    ...[
      { ...right, contract: '4' },
      ...[1e300, -1, 4.5, Number.NaN].map((contract) => ({ ...right, contract })),
      { ...right, version: '999999.999999.999999' },
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

test('No other site decides for the person, nor a page at an address that is no page: only the form that this browser made itself', () => {
  const form = {
    method: 'POST',
    mode: 'navigate',
    url: 'https://chat.example/version',
    referrer: 'https://chat.example/x',
  } as const
  const is = (more: object) => isDecision({ ...form, ...more }, 'https://chat.example')
  expect(is({})).toBe(true)
  for (const wrong of [
    ...[{ referrer: '' }, { referrer: 'https://evil.example/' }, { referrer: 'about:client' }, { method: 'GET' }],
    ...[{ url: 'https://chat.example/' }, { mode: 'cors' }, { referrer: 'https://chat.example/x.html' }],
    ...['api/x', 'objects/x', '.well-known/x'].map((place) => ({ referrer: `https://chat.example/${place}` })),
  ])
    expect(is(wrong), JSON.stringify(wrong)).toBe(false)
})

test('Nobody has signed a step of more than one great version or ten contracts: it is not taken by itself', () => {
  const kept = [build('a', '1.2.0')]
  const seen = seenWith(NOTHING_SEEN, build('a', '1.2.0'))
  const of = (version: string, contract = 4) => judge(build('b', version, { contract }), kept, seen)
  expect([of('2.9.9'), of('3.0.0'), of('1.3.0', 14), of('1.3.0', 15)]).toEqual(['take', 'far', 'take', 'far'])
  // The copies were thrown away.
  expect(judge(build('b', '3.0.0'), [], seen)).toBe('far')
  const signed = { ...seen, key: hash('k') }
  expect(judge({ ...build('b', '9.0.0'), signedBy: hash('k') }, [], signed)).toBe('take')
  expect(faultsOf({ ...build('b', '9.0.0'), signedBy: hash('o') }, [], signed)).toEqual(['other_key', 'far'])
})
