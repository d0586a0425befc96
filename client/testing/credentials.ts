import { createHash } from 'node:crypto'
import { type Mock, vi } from 'vitest'
import { fromUtf8 } from '../../contract/ground/bytes.ts'
import { type Authenticator, newAuthenticator } from '../../server/testing/authenticator.ts'

/** What a page asks for, as `passkey.ts` writes it. */
interface Asked {
  challenge: Uint8Array
  rpId: string
  userVerification: string
  user: { id: Uint8Array }
  authenticatorSelection: object
  allowCredentials: { id: Uint8Array }[]
  excludeCredentials: { id: Uint8Array }[]
  extensions: { prf: { eval: { first: ArrayBuffer } } }
}

/** What stands in for the browser's store of passkeys: one authenticator, which a test can change. */
export interface StubbedCredentials {
  /** The passkeys that were made, newest last. */
  passkeys: Authenticator[]
  /** The PRF output; null for an authenticator without that extension. */
  output: Uint8Array<ArrayBuffer> | null
  create: Mock<(options: { publicKey: Asked }) => Promise<Credential>>
  get: Mock<(options: { publicKey: Asked }) => Promise<Credential>>
}

const CREATED = ['clientDataJSON', 'attestationObject'] as const
const ASSERTED = ['authenticatorData', 'clientDataJSON', 'signature', 'userHandle'] as const

/** A credential as a page sees it. Its own JSON would hold the PRF output, so a page that asks for it fails. */
class Credential {
  readonly rawId: ArrayBuffer
  readonly response: object
  readonly #prf: object | undefined
  constructor(id: string, response: object, prf: object | undefined) {
    this.rawId = bytesOf(id)
    this.response = response
    this.#prf = prf
  }
  getClientExtensionResults() {
    return this.#prf ? { prf: this.#prf } : {}
  }
  toJSON() {
    throw new Error('The JSON of a credential holds what opens the keys')
  }
}
class Attestation {}
class Assertion {}

/** Stubs the globals by which a page at this origin asks for passkeys. `others` are further members of `navigator`. */
export function stubCredentials(origin = 'https://conclave.example', others: object = {}): StubbedCredentials {
  const stub: StubbedCredentials = {
    passkeys: [],
    output: crypto.getRandomValues(new Uint8Array(32)),
    create: vi.fn(async ({ publicKey }) => {
      const userId = fromUtf8(publicKey.user.id)
      const passkey = newAuthenticator(origin, userId)
      stub.passkeys.push(passkey)
      const response = asBytes(new Attestation(), passkey.registers(textOf(publicKey.challenge)), CREATED)
      return new Credential(
        passkey.id,
        response,
        stub.output ? { enabled: true, results: { first: stub.output.buffer } } : undefined,
      )
    }),
    get: vi.fn(async ({ publicKey }) => {
      const wanted = publicKey.allowCredentials.map(({ id }) => textOf(id))
      const passkey = stub.passkeys.findLast(({ id }) => wanted.length === 0 || wanted.includes(id))
      if (!passkey) throw new DOMException('No such passkey', 'NotAllowedError')
      const response = asBytes(new Assertion(), passkey.asserts(textOf(publicKey.challenge)), ASSERTED)
      return new Credential(passkey.id, response, stub.output ? { results: { first: stub.output.buffer } } : undefined)
    }),
  }
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PublicKeyCredential', Credential)
  vi.stubGlobal('AuthenticatorAttestationResponse', Attestation)
  vi.stubGlobal('AuthenticatorAssertionResponse', Assertion)
  vi.stubGlobal('location', { hostname: new URL(origin).hostname, origin })
  vi.stubGlobal('navigator', { credentials: { create: stub.create, get: stub.get }, ...others })
  return stub
}

function asBytes<Name extends string>(response: object, fields: Record<Name, string>, names: readonly Name[]): object {
  return Object.assign(response, Object.fromEntries(names.map((name) => [name, bytesOf(fields[name])])))
}

function bytesOf(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text, 'base64url')).buffer
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** The PRF input that only this product asks for. */
export const PRF_INPUT = createHash('sha256').update('conclave/passkey/v1').digest()
