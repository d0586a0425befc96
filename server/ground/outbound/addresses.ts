import { BlockList, isIP } from 'node:net'

/** What is not on the public internet: the registry of special addresses (RFC 6890), multicast and what is reserved. */
const SPECIAL_IPV4 = subnets('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Shared by the customers of a carrier.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

/** The part of IPv6 that is public. Loopback, link-local, ULA, multicast, and IPv4 that is written as IPv6 lie outside. */
const PUBLIC_IPV6 = subnets('ipv6', [['2000::', 3]])
const SPECIAL_IPV6 = subnets('ipv6', [
  // Teredo, which carries IPv4, and others of the IETF.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, which carries IPv4.
  ['2002::', 16],
  ['3fff::', 20],
])

/** True for an IP address that is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !SPECIAL_IPV4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return PUBLIC_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6')
}

function subnets(family: 'ipv4' | 'ipv6', ranges: [string, number][]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}
