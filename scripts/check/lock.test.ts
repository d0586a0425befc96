import { expect, test } from 'vitest'
import { findLockGaps, findRefusedNode } from './lock.ts'

const wished = { dependencies: { fastify: '^5.1.0' }, devDependencies: { lint: '2.0.0' } }
const packages = {
  '': wished,
  'node_modules/fastify': { version: '5.2.0', dependencies: { cookie: '^1.0.0' } },
  'node_modules/fastify/node_modules/cookie': { version: '1.1.0', dependencies: { parse: '*' } },
  'node_modules/lint': { version: '2.0.0', optionalDependencies: { '@lint/linux': '2.0.0', '@lint/windows': '2.0.0' } },
  'node_modules/parse': { version: '1.0.0' },
  'node_modules/@lint/linux': { version: '2.0.0', os: ['linux'] },
  'node_modules/@lint/windows': { version: '2.0.0', os: ['win32'] },
}

const found = (entries: object, asked: object = wished) =>
  findLockGaps([
    { path: 'package.json', text: JSON.stringify(asked) },
    { path: 'package-lock.json', text: JSON.stringify({ packages: entries }) },
  ])

test('a lock without a package of another system is found, and without one that only another package needs', () => {
  expect(found(packages)).toEqual([])
  const { 'node_modules/@lint/windows': _windows, ...here } = packages
  expect(found(here)).toEqual([expect.stringContaining('@lint/windows has no entry, and node_modules/lint names it')])
  const { 'node_modules/parse': _parse, ...less } = packages
  expect(found(less)).toEqual([expect.stringContaining('parse has no entry, and node_modules/fastify/node_modules/cookie')])
  expect(findLockGaps([{ path: 'package.json', text: JSON.stringify(wished) }])).toHaveLength(1)
})

test('a lock that package.json has outgrown is found', () => {
  const newer = { ...wished, dependencies: { fastify: '^5.3.0' } }
  expect(found(packages, newer)).toEqual([expect.stringContaining('was made for fastify ^5.1.0; package.json has ^5.3.0')])
  expect(found({ ...packages, '': newer }, newer)).toEqual([expect.stringContaining('has fastify 5.2.0')])
  expect(found(packages, { dependencies: wished.dependencies })).toEqual([expect.stringContaining('was made for lint 2.0.0')])
})

test('a package that wants a newer Node than the oldest one promised is found', () => {
  const withEngine = (node: string) => [
    { path: 'package.json', text: JSON.stringify({ engines: { node: '>=20.19' } }) },
    {
      path: 'package-lock.json',
      text: JSON.stringify({ packages: { 'node_modules/a': { version: '2.0.2', engines: { node } } } }),
    },
  ]
  for (const kept of ['>=18', '20 || >=22', '^20.19.0 || >=22.12.0', '>= 8.x', '*', '>=6 <7 || >=8'])
    expect(findRefusedNode(withEngine(kept)), kept).toEqual([])
  for (const planted of ['>=22', '>=20.19.1', '^22 || ^24', '<20'])
    expect(findRefusedNode(withEngine(planted)), planted).toEqual([
      `package-lock.json: node_modules/a 2.0.2 wants Node ${planted}, and package.json promises 20.19.0`,
    ])
})
