import { randomBytes, timingSafeEqual } from 'node:crypto'
import { CHAT_LOCK } from '../../../contract/chat/locklimits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { isRecent } from '../../ground/http/access.ts'
import { tooManyRequests } from '../../ground/http/limits.ts'
import { newSalt, verifierOfSecret } from '../../identity/password/password.ts'
import { requireLive } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import { askingOf, hashOf } from './chatGate.ts'
import * as store from './store.ts'
import { freshSince } from './times.ts'

const SECRET_BYTES = 32

/**
 * Sets a chat password in a session that has just confirmed, else whoever has the session locks the owner out; or changes it in one that
 * has just verified. The session has the chat open then, and no other one has. Where there is one, nothing is compared: that would be a way
 * to guess. Throws Refusal.
 */
export async function setChatPassword(
  env: Env,
  user: SignedInUser,
  contactId: string,
  { password, lockSecret: given }: { password: string; lockSecret?: string | undefined },
): Promise<{ lockSecret: string }> {
  // Before the password is stretched, which takes a tenth of a second of a processor.
  const found = await store.findChat(env.db, user.id, contactId)
  if (!found) throw new Refusal('not_found')
  requireConfirmed(await store.findLock(env.db, found), user, env.clock())
  const salt = newSalt()
  const verifier = await verifierOfSecret(salt, password)
  const now = env.clock()
  const { contactUserId, lockSecret } = await env.db.transaction(async (tx) => {
    const chat = await requireChat(tx, user, contactId)
    const lock = await store.holdLock(tx, chat)
    if (lock && !(await hasJustVerified(tx, user, chat, now))) throw new Refusal('has_chat_password')
    requireConfirmed(lock, user, now)
    await requireLive(tx, user)
    const lockSecret = given === undefined ? (lock?.lockSecret ?? randomBytes(SECRET_BYTES)) : Buffer.from(given, 'base64')
    if (lock) await store.updateLock(tx, chat, { salt, verifier, lockSecret, ...NO_TRIES })
    else await store.insertLock(tx, { ...chat, salt, verifier, lockSecret })
    await store.closeOthers(tx, chat, hashOf(user))
    await store.saveTries(tx, chat, hashOf(user), NONE)
    await store.openChat(tx, chat, hashOf(user), now)
    return { contactUserId: chat.contactUserId, lockSecret }
  })
  announce(env, user, contactUserId)
  return { lockSecret: lockSecret.toString('base64') }
}

function requireConfirmed(lock: store.Lock | undefined, user: SignedInUser, now: Date): void {
  if (!lock && !isRecent(user, now)) throw new Refusal('step_up_required')
}

/** Removes the chat password in a session that has just verified. The archive pages stay, for the caller has sealed them anew. Throws Refusal. */
export async function removeChatPassword(env: Env, user: SignedInUser, contactId: string): Promise<Record<string, never>> {
  const removedFrom = await env.db.transaction(async (tx) => {
    const chat = await requireChat(tx, user, contactId)
    if (!(await store.holdLock(tx, chat))) return undefined
    if (!(await hasJustVerified(tx, user, chat, env.clock()))) throw new Refusal('chat_password_required')
    await store.deleteLock(tx, chat)
    return chat.contactUserId
  })
  if (removedFrom !== undefined) announce(env, user, removedFrom)
  return {}
}

interface Verified {
  valid: boolean
  lockSecret: string | null
  triesLeft: number
  waitSeconds: number
}

/**
 * Compares a chat password. A right one opens the chat to this session. Wrong ones are counted one after another; after five each waits
 * longer. Throws Refusal: `too_many_requests` while waiting, also for a right one.
 */
export async function verifyChatPassword(env: Env, user: SignedInUser, contactId: string, password: string): Promise<Verified> {
  const chat = await store.findChat(env.db, user.id, contactId)
  const found = chat && (await store.findLock(env.db, chat))
  if (!found) throw new Refusal('not_found')
  requireNoWait(await triesOf(env.db, user, found, env.clock()), env.clock())
  // Not inside the transaction, where the others would wait for it.
  const verifier = await verifierOfSecret(found.salt, password)
  const now = env.clock()
  const verified = await env.db.transaction(async (tx) => {
    const lock = await store.holdLock(tx, found)
    if (!lock) throw new Refusal('not_found')
    const tries = await triesOf(tx, user, lock, now)
    requireNoWait(tries, now)
    // Another browser has changed the password meanwhile: this one was stretched with the salt of the one before.
    if (!lock.salt.equals(found.salt)) return undefined
    if (!timingSafeEqual(verifier, lock.verifier)) return await countWrong(tx, tries, now)
    await requireLive(tx, user)
    await tries.save(tx, NONE)
    await store.saveTries(tx, lock, hashOf(user), NONE)
    await store.openChat(tx, lock, hashOf(user), now)
    return { valid: true, lockSecret: lock.lockSecret.toString('base64'), triesLeft: 0, waitSeconds: 0 }
  })
  return verified ?? (await verifyChatPassword(env, user, contactId, password))
}

interface Tries extends store.Tries {
  save: (tx: Queryable, tries: store.Tries) => Promise<void>
}

const NONE: store.Tries = { wrongTries: 0, waitsUntil: null }
const NO_TRIES = { ...NONE, confirmedWrongTries: 0, confirmedWaitsUntil: null }

/**
 * Which tries count: those of a session that has opened the chat, else nobody at another browser keeps its owner out; where they are
 * used up or there are none, those of all that have just confirmed, together; else those of everybody, together.
 */
async function triesOf(db: Queryable, user: SignedInUser, lock: store.Lock, now: Date): Promise<Tries> {
  const own = await store.findTries(db, lock, hashOf(user))
  const isWaiting = own?.waitsUntil != null && own.waitsUntil > now
  if (isRecent(user, now) && (!own || isWaiting)) {
    const { confirmedWrongTries: wrongTries, confirmedWaitsUntil: waitsUntil } = lock
    const save: Tries['save'] = (tx, next) =>
      store.updateLock(tx, lock, { confirmedWrongTries: next.wrongTries, confirmedWaitsUntil: next.waitsUntil })
    return { wrongTries, waitsUntil, save }
  }
  if (own) return { ...own, save: (tx, next) => store.saveTries(tx, lock, hashOf(user), next) }
  return { wrongTries: lock.wrongTries, waitsUntil: lock.waitsUntil, save: (tx, next) => store.updateLock(tx, lock, next) }
}

/** Locks the chat for this session again. Throws Refusal. */
export async function lockChat(env: Env, user: SignedInUser, contactId: string): Promise<Record<string, never>> {
  const chat = await store.findChat(env.db, user.id, contactId)
  if (!chat) throw new Refusal('not_found')
  // The tabs of this browser share the session.
  if (await store.closeChat(env.db, chat, hashOf(user))) announce(env, user, chat.contactUserId)
  return {}
}

/** Forgets a chat password with what only it opens. The room's log is locked by the caller. Returns whether there was one. */
export async function dropLock(tx: Queryable, chat: store.Chat): Promise<boolean> {
  if (!(await store.deleteLock(tx, chat))) return false
  await store.deletePages(tx, chat)
  return true
}

/** Forgets the pages of archive keys of a chat that is cleared. */
export const dropPages = (tx: Queryable, chat: store.Chat): Promise<void> => store.deletePages(tx, chat)

/** Returns the chat with the caller's accepted contact, and locks its log. Throws Refusal. */
async function requireChat(tx: Queryable, user: SignedInUser, contactId: string) {
  const found = await store.findChat(tx, user.id, contactId)
  if (!found) throw new Refusal('not_found')
  await store.lockRoom(tx, found.chatRoomId)
  // Read again: the contact may have been removed while this waited.
  const chat = await store.findChat(tx, user.id, contactId)
  if (!chat) throw new Refusal('not_found')
  return chat
}

export const hasJustVerified = (tx: Queryable, user: SignedInUser, chat: store.Chat, now: Date): Promise<boolean> =>
  store.hasVerified(tx, chat, askingOf(user, now), freshSince(now))

function requireNoWait({ waitsUntil }: store.Tries, now: Date): void {
  if (waitsUntil && waitsUntil > now) throw tooManyRequests(Math.ceil((waitsUntil.getTime() - now.getTime()) / 1000))
}

async function countWrong(tx: Queryable, tries: Tries, now: Date): Promise<Verified> {
  const wrongTries = tries.wrongTries + 1
  const waitSeconds = waitAfter(wrongTries)
  const waitsUntil = waitSeconds > 0 ? new Date(now.getTime() + waitSeconds * 1000) : null
  await tries.save(tx, { wrongTries, waitsUntil })
  return { valid: false, lockSecret: null, triesLeft: Math.max(0, CHAT_LOCK.tries - wrongTries), waitSeconds }
}

/** Seconds to wait after so many wrong passwords in a row. */
function waitAfter(wrongTries: number): number {
  const { tries, firstWaitSeconds, longestWaitSeconds } = CHAT_LOCK
  return wrongTries < tries ? 0 : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** (wrongTries - tries))
}

/** Tells the account's browsers that the row of this contact has changed. */
const announce = (env: Env, { id }: SignedInUser, contactUserId: string): void =>
  env.hub.publish([id], { type: 'contacts', data: { userIds: [contactUserId] } })
