import { wordlist } from '@scure/bip39/wordlists/english.js'
import { fromBase64Url } from '../../contract/ground/bytes.ts'

/** Eight words of 11 bits. */
const COUNT = 8
const BITS = 11

/** Returns words by which people compare a SHA-256 or public key (base64url) aloud. */
export function codeWords(hash: string): string {
  const bits = [...fromBase64Url(hash)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const places = Array.from({ length: COUNT }, (_, at) => Number.parseInt(bits.slice(at * BITS, (at + 1) * BITS), 2))
  return places.map((place) => wordlist[place]).join(' ')
}
