import { isIPv4, isIPv6, type Socket } from 'node:net'
import type { Listener } from '../../settings/config.ts'

/** Keys of a listener's callers who have no address. */
const KEYS_MAX = 20

/** The callers without an address that a listener has seen last, the oldest first, and the number of the key of each. */
const lately = new WeakMap<Listener, Map<unknown, number>>()

/**
 * Returns the key of rate limits for a caller. With an address it is `addressKey`, unless the listener knows the connection better.
 *
 * A Unix socket has no address. Its callers are told apart by what the listener says of a connection (`callerOf`), otherwise by the
 * connection itself. Both cost an attacker nothing to replace, so a listener has `KEYS_MAX` keys: a new caller takes over the key of the
 * one who was heard least lately, with what is counted of it. Whoever makes connections without end therefore has at most
 * `KEYS_MAX` times what an address has, and can keep the other callers of this listener waiting, but not those of another.
 */
export function callerKey(listener: Listener, connection: Socket, address: string | undefined): string {
  const named = listener.callerOf?.(connection)
  if (named === undefined && address !== undefined) return addressKey(address)
  return `${listener.ingress} caller ${numberOf(listener, named ?? connection)}`
}

function numberOf(listener: Listener, caller: unknown): number {
  const numbers = lately.get(listener) ?? new Map<unknown, number>()
  lately.set(listener, numbers)
  const number = numbers.get(caller) ?? (numbers.size < KEYS_MAX ? numbers.size : takeOldest(numbers))
  numbers.delete(caller)
  numbers.set(caller, number)
  return number
}

function takeOldest(numbers: Map<unknown, number>): number {
  const [oldest] = numbers
  if (!oldest) return 0
  numbers.delete(oldest[0])
  return oldest[1]
}

/** Returns the key of an address: IPv4 as it is, IPv6 its /64, because one customer has all addresses of a /64. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped && isIPv4(mapped)) return mapped
  const plain = address.split('%')[0] ?? address
  if (!isIPv6(plain)) return address
  return `${groupsOf(plain).slice(0, 4).join(':')}::/64`
}

function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array<string>(zeros).fill('0'), ...after].map((group) => group.replace(/^0+(?=.)/, ''))
}
