import { sha3_256 } from '@noble/hashes/sha3.js'
import { concat, fromBase64, utf8 } from '../ground/bytes.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const VERSION = 3

/** Returns the Tor v3 address of an Ed25519 public key (32 bytes): 56 characters and ".onion" (rend-spec-v3, section 6). */
export function onionAddress(publicKey: Uint8Array): string {
  return `${base32(concat(publicKey, checksum(publicKey), Uint8Array.of(VERSION)))}.onion`
}

/** Takes base64. */
export const onionOf = (identityKey: string | null): string | null => identityKey && onionAddress(fromBase64(identityKey))

/** RFC 4648, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31]
    value &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31]
}

/** Returns the public key in an address; undefined if length, alphabet, version or checksum is wrong. */
export function publicKeyOfOnion(address: string): Uint8Array | undefined {
  const match = /^([a-z2-7]{56})\.onion$/.exec(address.trim().toLowerCase())
  if (!match?.[1]) return undefined
  const bytes = new Uint8Array(35)
  let bits = 0
  let value = 0
  let at = 0
  for (const character of match[1]) {
    value = (value << 5) | ALPHABET.indexOf(character)
    bits += 5
    if (bits >= 8) {
      bytes[at++] = (value >>> (bits - 8)) & 255
      bits -= 8
      value &= (1 << bits) - 1
    }
  }
  const publicKey = bytes.slice(0, 32)
  return onionAddress(publicKey) === `${match[1]}.onion` ? publicKey : undefined
}

function checksum(publicKey: Uint8Array): Uint8Array {
  return sha3_256(concat(utf8('.onion checksum'), publicKey, Uint8Array.of(VERSION))).subarray(0, 2)
}
