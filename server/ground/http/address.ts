import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the key of rate limits for an address: IPv4 as it is, IPv6 its /64, because one customer has all addresses of a /64. A
 * Unix socket has no address, so all its callers share one key.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'no address'
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
