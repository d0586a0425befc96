import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { type Release, releaseText } from '../contract/site/build.ts'

/** An operator's key, which signs builds. */
export interface Signer {
  /** The public key, base64url. */
  key: string
  sign(build: string): Release
  /** PKCS #8, PEM. */
  secret(): string
}

export const newSigner = (): Signer => signerOf(generateKeyPairSync('ed25519').privateKey)

/** Reads a private key from PEM, as `npm run release -- new-key` and `openssl genpkey -algorithm ed25519` write it. Throws if it is none. */
export function readSigner(pem: string): Signer {
  const secret = createPrivateKey(pem)
  if (secret.asymmetricKeyType !== 'ed25519') throw new Error('The key is no Ed25519 key')
  return signerOf(secret)
}

function signerOf(secret: KeyObject): Signer {
  const key = createPublicKey(secret).export({ format: 'jwk' }).x ?? ''
  return {
    key,
    sign: (build) => ({ build, key, signature: sign(null, Buffer.from(releaseText(build)), secret).toString('base64url') }),
    secret: () => secret.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}

/** True if the signature of a release holds for its build. */
export const holds = ({ build, key, signature }: Release): boolean =>
  verify(
    null,
    Buffer.from(releaseText(build)),
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  )
