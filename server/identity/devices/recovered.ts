import type { Manifest } from '../../../contract/account/documents.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { dropPasskeys, keepWayBack } from '../passkeys/passkeys.ts'
import type { UnlockSecret } from './devices.ts'
import { idsOf, leavingPasskeys, type ReadKeys, requireAdded, wayOf } from './documents.ts'
import { storeDevice } from './enrol.ts'
import { type Renewal, saveHistory } from './historykey.ts'
import { type LockedAccount, requireNext } from './locked.ts'
import { keepProof } from './prove.ts'
import * as store from './store.ts'

export interface Recovered {
  read: ReadKeys
  renewal: Renewal
  /** SHA-256; null without a new kit. */
  newKitHash: Buffer | null
}

/** The used kit opens nothing any more. The rooms must be locked. Throws Refusal. */
export async function storeRecovered(
  env: Env,
  tx: Queryable,
  user: SignedInUser,
  account: LockedAccount,
  { read, renewal, newKitHash }: Recovered,
  caller: Caller,
): Promise<UnlockSecret> {
  const { deviceId } = read.posted
  const before = requireNext(account, read)
  if (read.manifest.historyKeyId === before.manifest.historyKeyId) throw new Refusal('history_key_required')
  requireAdded(before.manifest, read.manifest, deviceId)
  const kit = wayOf(read.keyring, 'kit')
  if (!wayOf(read.keyring, 'password')) throw invalid('The new password must open the keyring')
  if ((kit !== undefined) !== (newKitHash !== null)) throw invalid('The keyring and the recovery kit do not fit')
  if (kit !== undefined && kit === wayOf(before.keyring, 'kit')) throw invalid('The recovery kit is used up')
  const secret = await storeDevice(tx, env.clock(), user.id, read)
  await saveHistory(env, tx, account, before.manifest, read, renewal)
  // Removed devices take their books along.
  await store.deleteDevices(tx, user.id, leavingOf(before.manifest, read.manifest))
  await store.replaceKit(tx, user.id, newKitHash)
  await dropPasskeys(tx, user.id, leavingPasskeys(before.keyring, read.keyring))
  if (account.biometricEnabled) await keepWayBack(tx, user.id, newKitHash !== null)
  await keepProof(tx, env.clock(), user, deviceId, caller)
  return secret
}

function leavingOf(before: Manifest, next: Manifest): string[] {
  const staying = new Set(idsOf(next))
  return idsOf(before).filter((id) => !staying.has(id))
}

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })
