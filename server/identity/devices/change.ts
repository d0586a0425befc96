import { timingSafeEqual } from 'node:crypto'
import type { KeyChange } from '../../../contract/account/devices.ts'
import type { Keyring, Manifest } from '../../../contract/account/documents.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { dropPasskeys, requireWayBack } from '../passkeys/passkeys.ts'
import { countGuess, hashOfSecret, requireAuthSecret } from '../password/password.ts'
import { closeSessions, deleteSessionsOfDevices } from '../sessions/sessions.ts'
import { announceKeys } from './devices.ts'
import { idsOf, leavingPasskeys, type ReadDocuments, readDocuments, requireSuccessor, wayOf } from './documents.ts'
import { requireNewHistoryKey, saveHistory } from './historykey.ts'
import { isStored, type LockedAccount, lockAccount, requireNext, saveDocuments } from './locked.ts'
import * as store from './store.ts'

/** The signatures are valid. */
export interface ReadChange extends ReadDocuments {
  posted: KeyChange
}

/** Throws as `readDocuments` does. */
export const readChange = (posted: KeyChange): ReadChange => ({ ...readDocuments(posted), posted })

/** Rooms, which a new history key changes, are locked first. */
export const lockForChange = (tx: Queryable, userId: string, { posted }: ReadChange): Promise<LockedAccount> =>
  lockAccount(tx, userId, posted.book !== undefined)

/** Makes all changes at once [Note: K2, K3, H2]. Throws Refusal. */
export async function changeKeys(env: Env, user: SignedInUser, change: KeyChange & { password?: string | undefined }) {
  const { password } = change
  const read = readChange(change)
  if (password !== undefined) {
    await countGuess(env, user)
    requireAuthSecret(password)
  }
  const ended = await env.db.transaction(async (tx) => {
    const account = await lockForChange(tx, user.id, read)
    // The response to an earlier attempt was lost.
    if (isStored(account, read)) return undefined
    if (password !== undefined) requireVerifier(account, hashOfSecret(password))
    const before = requireNext(account, read)
    const way = wayOf(read.keyring, 'password')
    if (way !== undefined && way !== wayOf(before.keyring, 'password') && password === undefined)
      throw invalid('Where the password becomes a way in, it comes along')
    const ended = await applyChange(env, tx, user, account, read)
    await env.fault?.('keys:written')
    return ended
  })
  if (ended) await finishChange(env, user, ended, change.manifest)
  return { version: read.manifest.version }
}

export function requireVerifier(account: LockedAccount, verifier: Buffer): void {
  if (!timingSafeEqual(account.passwordHash, verifier)) throw new Refusal('invalid_credentials')
}

/** Throws Refusal unless the change follows the stored documents [Note: K3, D1]. */
export async function applyChange(
  env: Env,
  tx: Queryable,
  user: SignedInUser,
  account: LockedAccount,
  read: ReadChange,
): Promise<string[]> {
  const before = requireNext(account, read)
  requireSuccessor(before.manifest, read.manifest)
  const leaving = requireDevices(user, before.manifest, read.manifest)
  requireNewHistoryKey(before, read)
  const hasKit = await saveKit(tx, account, before.keyring, read)
  await dropPasskeys(tx, user.id, leavingPasskeys(before.keyring, read.keyring))
  if (account.biometricEnabled) await requireWayBack(tx, user.id, hasKit)
  await saveDocuments(tx, user.id, read)
  await saveHistory(env, tx, account, before.manifest, read, read.posted)
  if (leaving.length === 0) return []
  await store.deleteDevices(tx, user.id, leaving)
  return await deleteSessionsOfDevices(tx, user.id, leaving)
}

/** Runs after COMMIT: removed devices' sockets get the manifest and close [Note: D3]. */
export async function finishChange(env: Env, user: SignedInUser, ended: string[], manifest: Signed): Promise<void> {
  await env.fault?.('keys:committed')
  closeSessions(env, ended, { manifest })
  await announceKeys(env, user.id)
}

function requireDevices(user: SignedInUser, before: Manifest, next: Manifest): string[] {
  const [known, staying] = [idsOf(before), idsOf(next)]
  if (staying.some((id) => !known.includes(id))) throw invalid('A change of keys adds no device')
  if (user.deviceId !== null && !staying.includes(user.deviceId))
    throw invalid('A device cannot remove itself. Remove it from another one, or log out')
  return known.filter((id) => !staying.includes(id))
}

// The kit's secret and way in exist together or not at all.
async function saveKit(
  tx: Queryable,
  account: LockedAccount,
  before: Keyring,
  { keyring, posted }: ReadChange,
): Promise<boolean> {
  const { kitSecret } = posted
  const way = wayOf(keyring, 'kit')
  const kitHash = kitSecret === undefined ? account.kitHash : kitSecret === null ? null : hashOfSecret(kitSecret)
  const isNew = way !== undefined && way !== wayOf(before, 'kit')
  if ((way !== undefined) !== (kitHash !== null) || isNew !== (typeof kitSecret === 'string'))
    throw invalid('The keyring and the recovery kit do not fit')
  if (kitSecret !== undefined) await store.replaceKit(tx, account.id, kitHash)
  return kitHash !== null
}

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })
