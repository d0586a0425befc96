import { isIPv4, isIPv6, type Socket } from 'node:net'
import type { Listener } from '../../settings/config.ts'

/** Keys of a listener for callers without an address. */
const KEYS_MAX = 20

/** Key numbers by caller, the oldest first. */
const lately = new WeakMap<Listener, Map<unknown, number>>()

/**
 * Returns the key of rate limits. Without an address, a new caller takes over the oldest of `KEYS_MAX` keys with its counts, so
 * endless connections gain little and never slow another listener.
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

/** One customer has all IPv6 addresses of a /64. */
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
