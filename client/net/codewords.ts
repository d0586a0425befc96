import { wordlist } from '@scure/bip39/wordlists/english.js'
import { fromBase64Url } from '../../contract/ground/bytes.ts'

/** Words that stand for a build or a key. Eight of 11 bits: nobody makes other code that has the same 88 bits. */
const COUNT = 8
const BITS = 11

/** The first 88 bits of a SHA-256 or a public key (base64url) as eight words, which two people can say to each other. */
export function codeWords(hash: string): string {
  const bits = [...fromBase64Url(hash)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const places = Array.from({ length: COUNT }, (_, at) => Number.parseInt(bits.slice(at * BITS, (at + 1) * BITS), 2))
  return places.map((place) => wordlist[place]).join(' ')
}
