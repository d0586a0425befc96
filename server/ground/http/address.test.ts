import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { Listener } from '../../settings/config.ts'
import { addressKey, callerKey } from './address.ts'

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, key) => {
  expect(addressKey(address)).toBe(key)
})

/** A listener on a Unix socket. */
const onion = (more: Partial<Listener> = {}): Listener => ({
  ingress: 'onion',
  isSecure: false,
  hasProxy: false,
  origins: () => [],
  ...more,
})

test('connections without an address have a key each, which stays theirs while they are used', () => {
  const listener = onion()
  const [one, two] = [new Socket(), new Socket()]
  const [first, second] = [callerKey(listener, one, undefined), callerKey(listener, two, undefined)]
  expect(first).not.toBe(second)
  for (let count = 0; count < 1000; count++) {
    callerKey(listener, new Socket(), undefined)
    expect(callerKey(listener, one, undefined)).toBe(first)
  }
  expect(callerKey(onion({ ingress: 'direct' }), one, undefined)).not.toBe(first)
})

test('Eve makes connections without end: all of them together have twenty keys, each of them in turn', () => {
  const listener = onion()
  const counts = new Map<string, number>()
  for (let count = 0; count < 1000; count++) {
    const key = callerKey(listener, new Socket(), undefined)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  expect([...counts.values()]).toEqual(Array(20).fill(50))
})

test('a listener may say who has opened a connection: that counts before the address, and is bounded too', () => {
  const circuits = new WeakMap<Socket, string>()
  const listener = onion({ callerOf: (connection) => circuits.get(connection) })
  const opens = (circuit?: string) => {
    const connection = new Socket()
    if (circuit !== undefined) circuits.set(connection, circuit)
    return callerKey(listener, connection, '127.0.0.1')
  }
  const first = opens('circuit 1')
  expect(opens('circuit 1')).toBe(first)
  expect(opens('circuit 2')).not.toBe(first)
  expect(opens()).toBe('127.0.0.1')
  expect(new Set(Array.from({ length: 1000 }, (_, at) => opens(`circuit ${at}`))).size).toBe(20)
})
