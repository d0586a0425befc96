import { PASSWORD_KDF } from '../../../contract/account/password.ts'
import { type Bytes, toBase64Url, utf8 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { loadPart } from '../primitives/loadPart.ts'
import { erase, hkdf, sha256 } from '../primitives/seal.ts'

/**
 * The secrets derived from a password [Note: P1]: the one that the server may see (43 characters), the seed of the password's key
 * pair (32 bytes), and the one that opens the local lock of a browser (32 bytes) [Note: V3].
 */
interface StretchedPassword {
  authSecret: string
  passwordSeed: Bytes
  lockSecret: Bytes
}

/** The HKDF label of local lock secrets, derived from Argon2id's or a passkey's output [Note: V3]. */
export const LOCAL_LOCK = 'conclave/local-lock/v1'

/**
 * Stretches the password (NFKC, UTF-8) by Argon2id with the server's 16-byte salt, bound to the username. Takes about a second
 * and 64 MiB: run it in a worker. A server that returns another salt gets another authSecret, and no easier guess.
 */
export async function stretchPassword(username: string, password: string, salt: Uint8Array): Promise<StretchedPassword> {
  if (salt.length !== 16) throw new CryptoFailure('password', 'The server’s salt for this name has the wrong size')
  const root = await argonOf(password, sha256(PASSWORD_KDF.saltLabel, username.trim().toLowerCase(), salt))
  const authSecret = toBase64Url(await hkdf(root, PASSWORD_KDF.authLabel))
  const passwordSeed = await hkdf(root, PASSWORD_KDF.seedLabel)
  const lockSecret = await hkdf(root, LOCAL_LOCK)
  erase(root)
  return { authSecret, passwordSeed, lockSecret }
}

const loadArgon = () => loadPart(() => import('hash-wasm'))

/** Loads what stretches passwords, before one is typed to its end. Where this fails, stretching says so. */
export const preloadStretching = (): void => void loadArgon().catch(() => undefined)

/** Argon2id of a text (NFKC, UTF-8) with the parameters of [Note: P1]: 32 bytes. */
export async function argonOf(text: string, salt: Uint8Array): Promise<Uint8Array> {
  const { argon2id } = await loadArgon()
  return argon2id({
    password: utf8(text.normalize('NFKC')),
    salt,
    memorySize: PASSWORD_KDF.memoryKiB,
    iterations: PASSWORD_KDF.passes,
    parallelism: PASSWORD_KDF.lanes,
    hashLength: PASSWORD_KDF.bytes,
    outputType: 'binary',
  })
}
