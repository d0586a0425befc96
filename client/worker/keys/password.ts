import { PASSWORD_KDF } from '../../../contract/account/password.ts'
import { toBase64Url, utf8 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { loadPart } from '../primitives/loadPart.ts'
import { erase, hkdf, sha256 } from '../primitives/seal.ts'
import type { Bytes32 } from '../primitives/sizes.ts'

/**
 * What a password yields [Note: P1]. `authSecret` goes to the server: 43 characters, base64url. `lockSecret` opens a browser's
 * local lock [Note: V3].
 */
interface StretchedPassword {
  authSecret: string
  passwordSeed: Bytes32
  lockSecret: Bytes32
}

/** Label of the local lock's HKDF [Note: V3]. */
export const LOCAL_LOCK = 'conclave/local-lock/v1'

/**
 * Argon2id, then HKDF [Note: P1]. Salt: the server's 16 bytes, bound to the username; another one makes no easier guess. Takes
 * a second and 64 MiB: only in a worker. Throws 'password' for another length, 'not_loaded'.
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

type Argon = Pick<typeof import('./slowArgon.ts'), 'argon2id'>

/** The safer level of Tor Browser has no WebAssembly. */
const loadArgon = () =>
  loadPart((): Promise<Argon> => (typeof WebAssembly === 'undefined' ? import('./slowArgon.ts') : import('hash-wasm')))

/** Loads Argon2id early. A failure shows when a password is stretched. */
export const preloadStretching = (): void => void loadArgon().catch(() => undefined)

/** Argon2id of NFKC text [Note: P1]: 32 bytes. */
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
