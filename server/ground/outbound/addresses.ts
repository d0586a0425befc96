import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All of IPv6 that is given out. What lies outside is unicast to the library too: IPv4 written as IPv6 (`::8.8.8.8`) is an example. */
const GIVEN_OUT_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** True for an IP address that is on the public internet. */
export function isPublicAddress(address: string): boolean {
  // The library also reads octal numbers and left-out ones, which resolvers read otherwise.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(GIVEN_OUT_IPV6)
}
