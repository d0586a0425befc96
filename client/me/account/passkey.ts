import type { Assertion } from '../../../contract/account/assertion.ts'
import type { Registration } from '../../../contract/account/passkeys.ts'
import { type Bytes, fromBase64, fromUtf8, toBase64, toBase64Url, utf8 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { accountStore } from './accountState.ts'
import { passkeysWork } from './passkeysWork.ts'

/** Base64url id, and 32-byte PRF output in base64. */
export interface PasskeyOutput {
  id: string
  output: string
}

/** The PRF input is the same for every account. */
const PRF_SALT = 'conclave/passkey/v1'
const ES256 = -7
const EDDSA = -8
const RS256 = -257

/** The key is null if the passkey opens no keys. */
export interface NewPasskey {
  registration: Pick<Registration, 'id' | 'clientDataJSON' | 'attestationObject'>
  key: PasskeyOutput | null
}

/** The key is null if the passkey opens no keys. */
export interface SignedByPasskey {
  assertion: Assertion
  userId: string | null
  key: PasskeyOutput | null
}

/** `known` passkeys are not overwritten. Throws CryptoFailure. */
export async function createPasskey(challenge: string, known: string[] = []): Promise<NewPasskey> {
  const { user } = accountStore.getState()
  if (!user) throw new CryptoFailure('closed', 'The keys of this browser are closed')
  const extensions = await prf()
  const made = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: bytesIn(challenge),
        rp: { id: location.hostname, name: 'Conclave' },
        user: { id: utf8(user.id), name: user.username, displayName: user.displayName },
        pubKeyCredParams: [ES256, EDDSA, RS256].map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        excludeCredentials: known.map(describe),
        extensions,
      },
    }),
  )
  const { response } = made
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new CryptoFailure('passkey', 'The browser made no passkey.')
  const id = idOf(made)
  // The credential's JSON also holds the key.
  const registration = {
    id,
    clientDataJSON: urlOf(response.clientDataJSON),
    attestationObject: urlOf(response.attestationObject),
  }
  const key = keyOf(made)
  // Many authenticators return the output only from an assertion.
  const isAskedAgain = key === null && made.getClientExtensionResults().prf?.enabled === true
  return { registration, key: isAskedAgain ? await askPasskey([id]) : key }
}

/** Empty `ids` allow any passkey of this address. Throws CryptoFailure. */
export async function signWithPasskey(challenge: string, ids: string[]): Promise<SignedByPasskey> {
  const answer = await asksFor(bytesIn(challenge), ids)
  const { response } = answer
  if (!(response instanceof AuthenticatorAssertionResponse))
    throw new CryptoFailure('passkey', 'The browser returned no passkey.')
  const { userHandle } = response
  return {
    // The credential's JSON also holds the key.
    assertion: {
      id: idOf(answer),
      authenticatorData: urlOf(response.authenticatorData),
      clientDataJSON: urlOf(response.clientDataJSON),
      signature: urlOf(response.signature),
      ...(userHandle && userHandle.byteLength > 0 && { userHandle: urlOf(userHandle) }),
    },
    userId: userHandle ? fromUtf8(new Uint8Array(userHandle)) : null,
    key: keyOf(answer),
  }
}

/** Returns the PRF key. Throws CryptoFailure. */
export async function askPasskey(ids: string[]): Promise<PasskeyOutput> {
  // A random challenge: only the PRF output matters [Note: K1].
  const key = keyOf(await asksFor(crypto.getRandomValues(new Uint8Array(32)), ids))
  if (!key) throw new CryptoFailure('passkey_key', 'This passkey holds no key. Use another one or the recovery kit.')
  return key
}

async function asksFor(challenge: Bytes, ids: string[]): Promise<PublicKeyCredential> {
  const extensions = await prf()
  return await asked(() =>
    navigator.credentials.get({
      publicKey: {
        challenge,
        rpId: location.hostname,
        allowCredentials: ids.map(describe),
        userVerification: 'required',
        extensions,
      },
    }),
  )
}

function keyOf(credential: PublicKeyCredential): PasskeyOutput | null {
  const output = credential.getClientExtensionResults().prf?.results?.first
  return output ? { id: idOf(credential), output: toBase64(bytesOf(output)) } : null
}

const prf = async () => ({ prf: { eval: { first: await crypto.subtle.digest('SHA-256', utf8(PRF_SALT)) } } })

const idOf = (credential: PublicKeyCredential): string => toBase64Url(new Uint8Array(credential.rawId))

const urlOf = (buffer: ArrayBuffer): string => toBase64Url(new Uint8Array(buffer))

const bytesIn = (text: string): Bytes => fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))

const describe = (id: string) => ({ type: 'public-key' as const, id: bytesIn(id) })

const bytesOf = (output: BufferSource): Uint8Array =>
  ArrayBuffer.isView(output) ? new Uint8Array(output.buffer, output.byteOffset, output.byteLength) : new Uint8Array(output)

const WORDS: Record<string, string> = {
  NotAllowedError: 'The passkey was not used: the request was closed, or took too long.',
  AbortError: 'The passkey was not used: the request was closed.',
  InvalidStateError: 'There is a passkey of this account on that device already.',
  NotSupportedError: 'This device cannot make such a passkey.',
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
