import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Assertion } from '../../contract/account/assertion.ts'

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

/** What an authenticator does that is not the usual; each makes a server refuse it. */
interface Odd {
  /** The page at which it is asked, where that is another one. */
  origin?: string
  /** The host that it is asked for, where that is another one. */
  host?: string
  counter?: number
  /** False: the person did not show who they are. */
  isVerified?: boolean
  type?: string
  userHandle?: string
}

/** A passkey in software, which signs as WebAuthn section 6 says. */
export interface Authenticator {
  /** The credential's id, base64url. */
  id: string
  counter: number
  /** What the browser gives when the passkey is made. */
  registers(challenge: string, odd?: Odd): { id: string; clientDataJSON: string; attestationObject: string }
  /** What the browser gives at a sign-in. */
  asserts(challenge: string, odd?: Odd): Assertion & { userHandle: string }
  /** The same passkey at somebody else's: its counter goes on by itself. */
  copy(): Authenticator
}

/** Makes a passkey of this user for a page of this origin. `counts` is false for one that counts no signatures. */
export function newAuthenticator(origin: string, userId: string, counts = true): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return authenticatorOf({ origin, userId, counts, privateKey, publicKey, id: randomBytes(32) }, counts ? 1 : 0)
}

interface Secret {
  origin: string
  userId: string
  counts: boolean
  id: Buffer
  privateKey: KeyObject
  publicKey: KeyObject
}

function authenticatorOf(secret: Secret, counter: number): Authenticator {
  const { origin, userId, counts, id, privateKey, publicKey } = secret
  const clientData = (type: string, challenge: string, odd: Odd) =>
    Buffer.from(JSON.stringify({ type: odd.type ?? type, challenge, origin: odd.origin ?? origin, crossOrigin: false }))
  const head = (flags: number, count: number, odd: Odd) => {
    const rest = Buffer.alloc(5)
    rest.writeUInt8(odd.isVerified === false ? flags & ~VERIFIED : flags)
    rest.writeUInt32BE(odd.counter ?? count, 1)
    const hash = createHash('sha256').update(odd.host ?? new URL(origin).hostname)
    return Buffer.concat([hash.digest(), rest])
  }
  const authenticator: Authenticator = {
    id: id.toString('base64url'),
    counter,
    registers(challenge, odd = {}) {
      const idLength = Buffer.alloc(2)
      idLength.writeUInt16BE(id.length)
      const authData = Buffer.concat([
        head(PRESENT | VERIFIED | HAS_CREDENTIAL, authenticator.counter, odd),
        Buffer.alloc(16),
        idLength,
        id,
        coseOf(publicKey),
      ])
      return {
        id: authenticator.id,
        clientDataJSON: clientData('webauthn.create', challenge, odd).toString('base64url'),
        attestationObject: attestationOf(authData).toString('base64url'),
      }
    },
    asserts(challenge, odd = {}) {
      if (counts) authenticator.counter++
      const authenticatorData = head(PRESENT | VERIFIED, authenticator.counter, odd)
      const clientDataJSON = clientData('webauthn.get', challenge, odd)
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
      return {
        id: authenticator.id,
        authenticatorData: authenticatorData.toString('base64url'),
        clientDataJSON: clientDataJSON.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        userHandle: Buffer.from(odd.userHandle ?? userId).toString('base64url'),
      }
    },
    copy: () => authenticatorOf(secret, authenticator.counter),
  }
  return authenticator
}

/** ES256 as a COSE key: {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9053 section 7.1.1). */
function coseOf(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.concat([Buffer.from([0x58, 0x20]), Buffer.from(text, 'base64url')])
  return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]), bytes(x), Buffer.from([0x22]), bytes(y)])
}

/** {fmt: "none", attStmt: {}, authData} in CBOR. */
function attestationOf(authData: Buffer): Buffer {
  const text = (words: string) => Buffer.concat([Buffer.from([0x60 + words.length]), Buffer.from(words)])
  const length = Buffer.alloc(3, 0x59)
  length.writeUInt16BE(authData.length, 1)
  return Buffer.concat([
    Buffer.from([0xa3]),
    ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData')],
    length,
    authData,
  ])
}
