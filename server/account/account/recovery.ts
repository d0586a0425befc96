import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import type { SignedIn } from '../../../contract/account/account.ts'
import type { recoveryApi } from '../../../contract/account/recovery.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Caller, Visitor } from '../../ground/http/serve.ts'
import { readBook } from '../../identity/devices/book.ts'
import { announceKeys, requireUnlock } from '../../identity/devices/devices.ts'
import { readKeys } from '../../identity/devices/documents.ts'
import { isStored, lockAccount } from '../../identity/devices/locked.ts'
import { requireProof } from '../../identity/devices/prove.ts'
import { storeRecovered } from '../../identity/devices/recovered.ts'
import { countGuess, hashOfSecret, requireAuthSecret } from '../../identity/password/password.ts'
import { closeSessions, deleteSessionsOf } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import { shownUser, signIn } from './account.ts'
import * as store from './store.ts'
import { countTry } from './tries.ts'

/**
 * Signs in with a recovery kit; the session has no device. An unknown name, a wrong kit, an account without a kit and a blocked
 * account get the same response after the same work. Throws Refusal.
 */
export async function loginByKit(
  env: Env,
  visitor: Visitor,
  { username, kitSecret }: { username: string; kitSecret: string },
): Promise<SignedIn> {
  const row = await store.findByUsername(env.db, username)
  const giveBack = await countTry(env, visitor, { kind: 'kit', username, userId: row?.id })
  const matches = isKit(row?.kitHash ?? null, kitSecret)
  if (!row || !matches || !row.isActive) throw new Refusal('wrong_kit')
  await giveBack()
  return await signIn(env, visitor, row, { deviceId: undefined, otherwise: 'wrong_kit' })
}

/**
 * Returns one of the account's sealed books to whoever holds the recovery kit: a recovery seals the book under a new history key
 * before any device has signed for its session [Note: H2]. Throws Refusal.
 */
export async function recoveryBook(
  env: Env,
  user: SignedInUser,
  { kitSecret, ...which }: z.output<typeof recoveryApi.recoveryBook.input>,
): Promise<z.input<typeof recoveryApi.recoveryBook.output>> {
  const giveBack = await countGuess(env, user)
  const row = await store.findById(env.db, user.id)
  if (!isKit(row?.kitHash ?? null, kitSecret)) throw new Refusal('wrong_kit')
  await giveBack()
  return await readBook(env, user, which)
}

/**
 * Recovers the account with the recovery kit, in one transaction: stores a new password, a new history key with the book under it,
 * and this browser, which signs for the session, removes the devices that the new list leaves out, and uses up the kit
 * [Note: K3, D4, H2]. Ends all other sessions. Throws Refusal.
 */
export async function recover(
  env: Env,
  user: SignedInUser,
  form: z.output<typeof recoveryApi.recover.input>,
  caller: Caller,
): Promise<SignedIn> {
  await countGuess(env, user)
  requireAuthSecret(form.password)
  const read = readKeys(form.keys)
  const { unlock, row, ended } = await env.db.transaction(async (tx) => {
    const account = await lockAccount(tx, user.id, true)
    const row = await store.findById(tx, user.id)
    if (!row) throw new Refusal('not_signed_in')
    // The response to an earlier attempt was lost. The kit is used up, but this session came from it.
    if (user.deviceId === form.keys.deviceId && isStored(account, read)) {
      return { unlock: await requireUnlock(tx, user), row, ended: undefined }
    }
    if (!isKit(account.kitHash, form.kitSecret)) throw new Refusal('wrong_kit')
    if (form.newKitSecret === form.kitSecret) throw new Refusal('invalid_input', { text: 'The recovery kit is used up' })
    const newKitHash = form.newKitSecret === null ? null : hashOfSecret(form.newKitSecret)
    requireProof(env, user, read.manifest, { deviceId: form.keys.deviceId, proof: form.proof }, caller.headers.origin)
    const unlock = await storeRecovered(env, tx, user, account, { read, renewal: form, newKitHash }, caller)
    await store.replaceVerifier(tx, user.id, hashOfSecret(form.password))
    const ended = await deleteSessionsOf(tx, user.id, user.sessionHash)
    await env.fault?.('keys:written')
    return { unlock, row, ended }
  })
  if (ended) {
    await env.fault?.('keys:committed')
    closeSessions(env, ended, { manifest: form.keys.manifest })
    await announceKeys(env, user.id)
  }
  return { ...shownUser(row, user.subscriptionTier, unlock.deviceId), unlock: { ...unlock, challenge: null } }
}

const isKit = (kitHash: Buffer | null, kitSecret: string): boolean =>
  timingSafeEqual(hashOfSecret(kitSecret), kitHash ?? randomBytes(32))
