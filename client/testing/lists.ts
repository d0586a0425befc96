import { manifestShape } from '../../contract/account/documents.ts'
import { fromBase64 } from '../../contract/ground/bytes.ts'
import type { Signed } from '../../contract/ground/shapes.ts'
import { openKeyring } from '../worker/keys/keyring.ts'
import { signManifest } from '../worker/keys/newidentity.ts'
import { stretchPassword } from '../worker/keys/password.ts'
import { passwordOf, type TestPerson } from './people.ts'
import { saltOf } from './state.ts'
import type { Wire } from './wire.ts'

/** Identity seeds by user id. Each is opened once per file, because Argon2id is slow. */
const seeds = new Map<string, Uint8Array>()

/**
 * Returns the next version of a person's device list, signed by the identity key as whoever opened the keyring can sign it.
 * `sealedName` is the name of all browsers in it, base64.
 */
export async function nextListOf(wire: Wire, { userId, username }: TestPerson, sealedName: string): Promise<Signed> {
  const account = wire.accounts.get(userId)
  if (!account) throw new Error('The account is not on the wire')
  const { keyring, manifest: newest } = account.keys
  if (!seeds.has(userId)) {
    const { passwordSeed } = await stretchPassword(username, passwordOf(username), fromBase64(saltOf(username)))
    const { secret } = await openKeyring(keyring, { kind: 'password', seed: passwordSeed })
    seeds.set(userId, secret.identitySeed)
  }
  const manifest = manifestShape.parse(JSON.parse(newest.content))
  const devices = manifest.devices.map((device) => ({ ...device, sealedName }))
  return signManifest(seeds.get(userId) ?? new Uint8Array(), { ...manifest, version: manifest.version + 1, devices })
}
