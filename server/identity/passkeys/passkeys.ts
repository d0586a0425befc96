import type { Passkey } from '../../../contract/account/passkeys.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { newChallenge } from './passkeyChallenge.ts'
import { placeOf } from './place.ts'
import type { ReadRegistration } from './registration.ts'
import * as store from './store.ts'

export async function listPasskeys(env: Env, user: SignedInUser): Promise<Passkey[]> {
  const rows = await store.findPasskeys(env.db, user.id)
  return rows.map(({ id, name, host, createdAt, lastUsedAt }) => ({
    ...{ id, name, host },
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }))
}

/** Says what to sign, and the passkeys of this address [Note: K1]. */
export async function factorRequired(env: Env, caller: Pick<Caller, 'headers'>, userId: string): Promise<Refusal> {
  const ids = await passkeysHere(env, caller, userId)
  return new Refusal('biometric_required', { details: { challenge: newChallenge(env, { act: 'second factor', userId }), ids } })
}

/** Returns none for a program. */
export async function passkeysHere(env: Env, caller: Pick<Caller, 'headers'>, userId: string): Promise<string[]> {
  const host = caller.headers.origin === undefined ? undefined : placeOf(caller).host
  return (await store.findPasskeys(env.db, userId)).filter((row) => row.host === host).map(({ id }) => id)
}

export const countOf = (tx: Queryable, userId: string): Promise<number> => store.countPasskeys(tx, userId)

/** Throws Refusal for an existing passkey. */
export async function addTo(
  tx: Queryable,
  userId: string,
  { id, publicKey, counter, host }: ReadRegistration,
  name: string,
  now: Date,
): Promise<void> {
  if (!(await store.insertPasskey(tx, { userId, id, publicKey, counter, host, name, createdAt: now })))
    throw new Refusal('invalid_input', { text: 'The account has this passkey already' })
}

/** Throws Refusal for an unknown passkey. */
export async function renamePasskeyOf(tx: Queryable, userId: string, id: string, name: string): Promise<void> {
  if (!(await store.updateName(tx, userId, id, name))) throw new Refusal('not_found')
}

export const switchFactor = (tx: Queryable, userId: string, isOn: boolean): Promise<void> => store.setFactor(tx, userId, isOn)

export async function dropPasskeys(tx: Queryable, userId: string, ids: string[]): Promise<void> {
  if (ids.length > 0) await store.deletePasskeys(tx, userId, ids)
}

/** Throws Refusal `way_back_required` without a kit or second passkey. The caller holds the account's lock. */
export async function requireWayBack(tx: Queryable, userId: string, hasKit: boolean): Promise<void> {
  if (!(await hasWayBack(tx, userId, hasKit))) throw new Refusal('way_back_required')
}

/** A recovery may leave nothing to fall back on. */
export async function keepWayBack(tx: Queryable, userId: string, hasKit: boolean): Promise<void> {
  if (!(await hasWayBack(tx, userId, hasKit))) await store.setFactor(tx, userId, false)
}

async function hasWayBack(tx: Queryable, userId: string, hasKit: boolean): Promise<boolean> {
  return (await store.countPasskeys(tx, userId)) >= (hasKit ? 1 : 2)
}
