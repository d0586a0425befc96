import type { Manifest } from '../../../contract/account/documents.ts'
import { encodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { currentChallenges } from '../sessions/challenge.ts'
import { rememberProof } from '../sessions/sessions.ts'
import { storedManifest } from './documents.ts'
import { lockAccount } from './locked.ts'
import { isSigned } from './signature.ts'
import * as store from './store.ts'

interface Proof {
  deviceId: string
  /** Base64. */
  proof: string
}

/** Marks the session as the device's own [Note: D4]. Throws Refusal. */
export async function proveSession(
  env: Env,
  user: SignedInUser,
  { deviceId, proof }: Proof,
  caller: Caller,
): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    // The device may be removed before the lock is taken.
    const { documents } = await lockAccount(tx, user.id)
    if (!documents) throw new Refusal('unknown_device')
    requireProof(env, user, storedManifest(documents.manifest), { deviceId, proof }, caller.headers.origin)
    await keepProof(tx, env.clock(), user, deviceId, caller)
  })
  return {}
}

/** The hash identifies the browser. */
export async function keepProof(
  tx: Queryable,
  now: Date,
  user: SignedInUser,
  deviceId: string,
  { browserHash, markBrowser }: Pick<Caller, 'browserHash' | 'markBrowser'>,
): Promise<void> {
  await rememberProof(tx, now, user, deviceId)
  await store.noteProof(tx, user.id, deviceId, Buffer.from(browserHash() ?? markBrowser(), 'hex'), now)
}

/** True if this browser has proven a session before. */
export const isBrowserOf = async (env: Env, userId: string, browserHash: string | undefined): Promise<boolean> =>
  browserHash !== undefined && (await store.isBrowserOf(env.db, userId, Buffer.from(browserHash, 'hex')))

/** Throws Refusal unless a listed device has signed at this origin [Note: D4]. */
export function requireProof(
  env: Env,
  user: SignedInUser,
  manifest: Manifest,
  { deviceId, proof }: Proof,
  origin: string | undefined,
): void {
  const device = manifest.devices.find(({ id }) => id === deviceId)
  if (!device) throw new Refusal('unknown_device')
  // Only pages send an Origin, which is checked already.
  if (origin === undefined) throw new Refusal('forbidden_origin')
  const [leafKey, signature] = [fromBase64(device.leafKey), fromBase64(proof)]
  const holds = currentChallenges(env, user.sessionHash).some((challenge) => {
    const signed = encodeFields('conclave/session/v1', origin, user.id, deviceId, challenge)
    return isSigned(leafKey, signature, signed)
  })
  if (!holds) throw new Refusal('invalid_signature')
}
