import { type Bytes, fromBase64, toBase64, toBase64Url, utf8 } from '../../contract/bytes.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import { passkeysWork } from './passkeyshere.ts'
import { accountStore } from './store.ts'

/** A passkey's key: its credential id in base64url, and its 32-byte PRF output in base64. */
export interface PasskeyOutput {
  id: string
  output: string
}

/** The PRF input, the same for every account. The passkey combines it with a secret that is bound to this site. */
const PRF_SALT = 'conclave/passkey/v1'
const ES256 = -7
const EDDSA = -8
const RS256 = -257

/**
 * Creates a passkey with PRF for this account. `known` lists existing passkeys, so that none is overwritten. Throws
 * CryptoFailure.
 */
export async function createPasskey(known: string[] = []): Promise<PasskeyOutput> {
  const { user } = accountStore.getState()
  if (!user) throw new CryptoFailure('closed', 'The keys of this browser are closed')
  const extensions = await prf()
  const made = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: challenge(),
        rp: { id: location.hostname, name: 'Conclave' },
        user: { id: utf8(user.id), name: user.username, displayName: user.displayName },
        pubKeyCredParams: [ES256, EDDSA, RS256].map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        excludeCredentials: known.map(describe),
        extensions,
      },
    }),
  )
  const result = made.getClientExtensionResults().prf
  if (result?.enabled === false) throw noKey()
  const output = result?.results?.first
  // Many authenticators return the PRF output only from an assertion, not from the registration.
  return output ? { id: toBase64Url(new Uint8Array(made.rawId)), output: toBase64(bytesOf(output)) } : askPasskey([idOf(made)])
}

/** Asks for an assertion by one of these passkeys and returns its PRF key. Throws CryptoFailure. */
export async function askPasskey(ids: string[]): Promise<PasskeyOutput> {
  const extensions = await prf()
  const answer = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: challenge(),
        rpId: location.hostname,
        allowCredentials: ids.map(describe),
        userVerification: 'required',
        extensions,
      },
    }),
  )
  const output = answer.getClientExtensionResults().prf?.results?.first
  if (!output) throw noKey()
  return { id: idOf(answer), output: toBase64(bytesOf(output)) }
}

/** A random challenge, because nobody verifies the assertion's signature: only the PRF output matters [Note: K1]. */
const challenge = (): Bytes => crypto.getRandomValues(new Uint8Array(32))

const prf = async () => ({ prf: { eval: { first: await crypto.subtle.digest('SHA-256', utf8(PRF_SALT)) } } })

const idOf = (credential: PublicKeyCredential): string => toBase64Url(new Uint8Array(credential.rawId))

const describe = (id: string) => ({ type: 'public-key' as const, id: fromBase64(id.replaceAll('-', '+').replaceAll('_', '/')) })

const bytesOf = (output: BufferSource): Uint8Array =>
  ArrayBuffer.isView(output) ? new Uint8Array(output.buffer, output.byteOffset, output.byteLength) : new Uint8Array(output)

const noKey = () => new CryptoFailure('passkey_key', 'This passkey cannot hold a key. Use another one or the recovery kit.')

const WORDS: Record<string, string> = {
  NotAllowedError: 'The passkey was not used: the request was closed, or took too long.',
  AbortError: 'The passkey was not used: the request was closed.',
  InvalidStateError: 'There is a passkey of this account on that device already.',
  NotSupportedError: 'This device cannot make a passkey that holds a key.',
  ConstraintError: 'This passkey cannot check who you are. Set up a PIN, a fingerprint or your face on it first.',
  SecurityError: 'Passkeys do not work at this address.',
}

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!passkeysWork()) throw new CryptoFailure('passkey', 'Passkeys do not work in this browser or at this address.')
  try {
    const credential = await ask()
    if (credential instanceof PublicKeyCredential) return credential
    throw new CryptoFailure('passkey', 'The browser returned no passkey.')
  } catch (error) {
    const words = error instanceof DOMException ? WORDS[error.name] : undefined
    if (!words) throw error
    throw new CryptoFailure('passkey', words, { cause: error })
  }
}
