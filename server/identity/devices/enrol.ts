import { randomBytes } from 'node:crypto'
import type { AccountKeys, Unlock } from '../../../contract/account/devices.ts'
import { onionAddress } from '../../../contract/people/onion.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { isTaken } from '../../ground/db/unique.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { announceKeys, requireUnlock, type UnlockSecret } from './devices.ts'
import { type ReadKeys, readKeys, requireName, requireOnlyAdded, sameText, wayOf } from './documents.ts'
import { storeKeyPackages } from './keypackages.ts'
import { isStored, lockAccount, requireStored, saveDocuments } from './locked.ts'
import { keepProof, requireProof } from './prove.ts'
import * as store from './store.ts'

/** Runs in the caller's transaction [Note: K3]. Throws Refusal. */
export async function storeFirstKeys(tx: Queryable, now: Date, userId: string, read: ReadKeys): Promise<UnlockSecret> {
  const identity = await store.lockIdentity(tx, userId)
  if (!identity || identity.publicKey) throw new Refusal('has_keys')
  requireName(identity.username, read.manifest)
  if (read.keyring.version !== 1 || read.manifest.version !== 1) throw new Refusal('stale_version')
  if (read.manifest.devices.length !== 1) throw new Refusal('unknown_device')
  if (wayOf(read.keyring, 'kit'))
    throw new Refusal('invalid_input', { text: 'A recovery kit is added to an account that is there' })
  const publicKey = Buffer.from(read.identityKey)
  await store.setIdentity(tx, userId, publicKey, onionAddress(publicKey)).catch((error: unknown) => {
    if (isTaken(error, 'users_onion_address_unique')) throw new Refusal('invalid_input', { text: 'The identity key is not new' })
    throw error
  })
  return await storeDevice(tx, now, userId, read)
}

/** The keyring stays; the device signs for the session. Throws Refusal. */
export async function enrol(
  env: Env,
  user: SignedInUser,
  posted: AccountKeys & { proof: string },
  caller: Caller,
): Promise<Unlock> {
  const read = readKeys(posted)
  const secret = await env.db.transaction(async (tx) => {
    const account = await lockAccount(tx, user.id)
    const before = requireStored(account, read)
    // The response to an earlier attempt was lost.
    if (user.deviceId === posted.deviceId && isStored(account, read)) return await requireUnlock(tx, user)
    requireOnlyAdded(before.manifest, read.manifest, posted.deviceId)
    if (!account.documents || !sameText(account.documents.keyring, posted.keyring)) throw new Refusal('stale_version')
    requireProof(env, user, read.manifest, posted, caller.headers.origin)
    const secret = await storeDevice(tx, env.clock(), user.id, read)
    await keepProof(tx, env.clock(), user, posted.deviceId, caller)
    await env.fault?.('keys:written')
    return secret
  })
  await env.fault?.('keys:committed')
  await announceKeys(env, user.id)
  return { ...secret, challenge: null }
}

/** Runs in the caller's transaction. Returns the unlock secret. Throws Refusal. */
export async function storeDevice(tx: Queryable, now: Date, userId: string, read: ReadKeys): Promise<UnlockSecret> {
  const { deviceId, keyPackages } = read.posted
  const secret = randomBytes(32)
  await saveDocuments(tx, userId, read)
  await store.insertDevice(tx, userId, deviceId, secret, now)
  await storeKeyPackages(tx, now, userId, deviceId, keyPackages)
  return { deviceId, unlockSecret: secret.toString('base64') }
}
