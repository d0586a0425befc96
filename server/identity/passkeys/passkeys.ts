import type { Passkey } from '../../../contract/account/passkeys.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { newChallenge } from './passkeyChallenge.ts'
import { placeOf } from './place.ts'
import type { ReadRegistration } from './registration.ts'
import * as store from './store.ts'

/** Lists the account's passkeys that sign in. */
export async function listPasskeys(env: Env, user: SignedInUser): Promise<Passkey[]> {
  const rows = await store.findPasskeys(env.db, user.id)
  return rows.map(({ id, name, host, createdAt, lastUsedAt }) => ({
    ...{ id, name, host },
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }))
}

/** The refusal of a right password alone: what to sign, and the account's passkeys of this address [Note: K1]. */
export async function factorRequired(env: Env, caller: Pick<Caller, 'headers'>, userId: string): Promise<Refusal> {
  const ids = await passkeysHere(env, caller, userId)
  return new Refusal('biometric_required', { details: { challenge: newChallenge(env, { act: 'second factor', userId }), ids } })
}

/** The ids of the account's passkeys that work at the caller's address. A program shows no page, so none is its own. */
export async function passkeysHere(env: Env, caller: Pick<Caller, 'headers'>, userId: string): Promise<string[]> {
  const host = caller.headers.origin === undefined ? undefined : placeOf(caller).host
  return (await store.findPasskeys(env.db, userId)).filter((row) => row.host === host).map(({ id }) => id)
}

/** How many passkeys of the account sign in. */
export const countOf = (tx: Queryable, userId: string): Promise<number> => store.countPasskeys(tx, userId)

/** Adds a verified passkey inside the caller's transaction. Throws Refusal if the account has it. */
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

/** Renames a passkey of the account inside the caller's transaction. Throws Refusal if it has no such passkey. */
export async function renamePasskeyOf(tx: Queryable, userId: string, id: string, name: string): Promise<void> {
  if (!(await store.updateName(tx, userId, id, name))) throw new Refusal('not_found')
}

/** Sets inside the caller's transaction whether the password needs a passkey beside it. */
export const switchFactor = (tx: Queryable, userId: string, isOn: boolean): Promise<void> => store.setFactor(tx, userId, isOn)

/** Deletes these passkeys inside the caller's transaction; ids of none are passed over. */
export async function dropPasskeys(tx: Queryable, userId: string, ids: string[]): Promise<void> {
  if (ids.length > 0) await store.deletePasskeys(tx, userId, ids)
}

/**
 * Throws Refusal `way_back_required` unless an account whose sign-in asks for a passkey has one, and a recovery kit or another
 * passkey for the day on which that one is lost. The caller holds the account's lock.
 */
export async function requireWayBack(tx: Queryable, userId: string, hasKit: boolean): Promise<void> {
  if (!(await hasWayBack(tx, userId, hasKit))) throw new Refusal('way_back_required')
}

/** Stops asking for a passkey after a recovery that leaves none to fall back on. */
export async function keepWayBack(tx: Queryable, userId: string, hasKit: boolean): Promise<void> {
  if (!(await hasWayBack(tx, userId, hasKit))) await store.setFactor(tx, userId, false)
}

async function hasWayBack(tx: Queryable, userId: string, hasKit: boolean): Promise<boolean> {
  return (await store.countPasskeys(tx, userId)) >= (hasKit ? 1 : 2)
}
