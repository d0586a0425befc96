import { isIPv4, isIPv6 } from 'node:net'

/**
 * The key of a rate limit: the address; of IPv6 its /64, since whoever has one address there has them all. A Unix socket has
 * none: all who come by it count as one.
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
