import { type Bytes, concat, sameBytes } from '../../../contract/ground/bytes.ts'
import { callForged, orForged } from '../keys/heldCalls.ts'
import { CryptoFailure } from '../primitives/failure.ts'

const FINGERPRINT = /^sha-256 ((?:[0-9a-f]{2}:){31}[0-9a-f]{2})$/i
const LINE = 'a=fingerprint:'

/** Returns 32 bytes (RFC 8122). Throws 'malformed'. */
export function readFingerprint(text: string): Bytes {
  const [, hex] = FINGERPRINT.exec(text) ?? []
  if (!hex) throw new CryptoFailure('malformed', 'The certificate of this call has no SHA-256 fingerprint')
  return concat(Uint8Array.from(hex.split(':'), (byte) => Number.parseInt(byte, 16)))
}

/** Browsers take the certificate of any line, so all name the same. Throws 'call_forged'. */
export function fingerprintIn(sdp: string): Bytes {
  const lines = sdp.split(/\r?\n/).filter((line) => /fingerprint/i.test(line))
  const [first, ...more] = lines.map(ofLine)
  if (!first || more.some((other) => !sameBytes(first, other))) throw callForged()
  return first
}

const ofLine = (line: string): Bytes => orForged(() => readFingerprint(line.startsWith(LINE) ? line.slice(LINE.length) : ''))
