import type { Contact } from '../../contract/contacts.ts'
import { messagesApi } from '../../contract/messages.ts'
import { type CommitDraft, type LogEntry, logPageShape, roomsApi } from '../../contract/rooms.ts'
import { CryptoFailure, type LogOutcome, type RoomState } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { inTurn } from '../net/turns.ts'
import { hear } from '../trust/heard.ts'
import { meetContact, meetNamed } from '../trust/peers.ts'
import { askForKeys, auditCommits, fetchArchiveKeys, isRefused, placeOf } from './keys.ts'

const PAGE = 50
/** How often a commit may lose against another one. */
const TRIES = 8
/** How often a new group may be made between asking for the group and asking for the log. */
const ENTER_TRIES = 3

/** Why nothing can be sent now, in words for the person. */
export type Readiness = { ready: true } | { ready: false; reason: string }

/**
 * Follows a room's log to its end: live entries and replay both enter here. What is missing is asked for.
 * Returns the place that this device has reached. Throws CryptoFailure('log') where the server's log leads nowhere.
 */
export function catchUp(env: Env, contact: Contact, live: LogEntry[] = []): Promise<number> {
  return inTurn(env, `room ${contact.chatRoomId}`, () => follow(env, contact, live))
}

async function follow(env: Env, contact: Contact, live: LogEntry[]): Promise<number> {
  // Whoever wrote is known by key before anything of theirs is judged: a verdict is stored for good.
  await meetContact(env, contact)
  let entries = live
  let lastSeq = live.length > 0 ? 0 : Number.POSITIVE_INFINITY
  let reached = -1
  let idle = 0
  for (;;) {
    const outcome = await env.crypto.receiveLog({ ...placeOf(contact), entries })
    const { mustEnter, hasGap } = outcome
    idle = outcome.cursor > reached ? 0 : idle + 1
    // Each page leads further, or into a group that has just been made; else this would ask for the same for ever.
    if (idle > (mustEnter ? ENTER_TRIES : 0))
      throw new CryptoFailure('log', "The server's record of this room does not fit together")
    await heed(env, contact, outcome)
    reached = mustEnter ? await enter(env, contact) : outcome.cursor
    if (!mustEnter && !hasGap && reached >= lastSeq) return reached
    const page = await env.api(roomsApi.log, { chatRoomId: contact.chatRoomId, after: reached })
    if (page.entries.length === 0) return reached
    entries = page.entries
    lastSeq = page.lastSeq
  }
}

/** What came to light beside the messages: newer device lists, keys that are missing, commits to look after. */
async function heed(env: Env, contact: Contact, outcome: LogOutcome): Promise<void> {
  const { missing, unaudited, cursor, from } = outcome
  await hear(env, contact, outcome)
  if (missing.length > 0) await fetchArchiveKeys(env, contact, missing)
  if (unaudited.length > 0) await auditCommits(env, contact, unaudited)
  // Nothing of the room is here: it was entered, and the first page never came.
  if (!outcome.mustEnter && from > cursor) await loadOlderPage(env, contact, from)
}

/** Takes the room's group: by Welcome where there is one, else as a reader of the archive with the newest page. */
async function enter(env: Env, contact: Contact): Promise<number> {
  const group = await env.api(roomsApi.group, { chatRoomId: contact.chatRoomId })
  const { cursor, from } = await env.crypto.enterRoom({ ...placeOf(contact), group })
  if (from > cursor) await loadOlderPage(env, contact, from)
  return cursor
}

/** Fetches the page before a seq and keeps it, read by the archive. False: nothing older exists. */
export async function loadOlderPage(env: Env, contact: Contact, before: number): Promise<boolean> {
  if (before <= 1) return false
  const { chatRoomId } = contact
  if (!(await env.crypto.ownStanding()).keepsHistory) {
    // No key of what is older was kept: a column of lines that say so would help nobody.
    await env.crypto.adoptPage({ ...placeOf(contact), messages: [], isStart: true })
    return false
  }
  const messages = await env.api(messagesApi.list, { chatRoomId, before, limit: PAGE })
  const missing = await env.crypto.missingEpochs(messages)
  if (missing.length > 0) await env.crypto.keepArchiveKeys(await askForKeys(env, chatRoomId, missing))
  await hear(env, contact, await env.crypto.adoptPage({ ...placeOf(contact), messages, isStart: messages.length < PAGE }))
  return messages.length > 0
}

/**
 * Does what is needed before this device may send: knows the other side's devices, creates or enters the group,
 * removes leaves that are gone, heals [Note: R4, R7]. Each commit may lose against another one; then it starts over.
 * `mustCommit`: the server takes nothing before a commit [Note: D3].
 */
export async function readyRoom(env: Env, contact: Contact, { mustCommit = false } = {}): Promise<Readiness> {
  if (contact.contactUser.isDeleted) return { ready: false, reason: 'This account was deleted. Nothing can be sent.' }
  if ((await meetContact(env, contact)) === 'key_changed')
    return { ready: false, reason: "This person's key has changed. Nothing is sent until you decide." }
  const ask = () => env.crypto.roomNeed({ ...placeOf(contact), now: env.clock().getTime() })
  const first = await ask()
  // A device that is level with the log sends at once: when somebody was faster, the server says so.
  if (!mustCommit && first.need === 'ready' && first.cursor >= contact.lastSeq && !first.isPending) return { ready: true }
  let isOwed = mustCommit
  let joinFailures = 0
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await catchUp(env, contact)
    const { need } = await ask()
    if (need === 'ready' && !isOwed) return { ready: true }
    if (need === 'no_device')
      return {
        ready: false,
        reason: `${contact.contactUser.displayName} has no device yet. Your message waits here and goes out when they sign in.`,
      }
    const drafted = await draft(env, contact, need === 'ready' ? 'commit' : need, joinFailures > 0)
    // Whoever was faster has committed as well.
    if (drafted) isOwed = (await post(env, contact, drafted)) === 'not_taken'
    else joinFailures += 1
  }
  return { ready: false, reason: 'The room is busy. Try again.' }
}

/**
 * The commit that is needed; undefined where it could not be made now: somebody was faster, or the group could not be entered.
 * After a second failure it is a new generation, as the log was read to its end [Note: R4].
 */
async function draft(
  env: Env,
  contact: Contact,
  need: Exclude<RoomState['need'], 'ready' | 'no_device'>,
  hasFailed: boolean,
): Promise<CommitDraft | undefined> {
  const place = placeOf(contact)
  try {
    if (need === 'commit') return await env.crypto.commitRoom(place)
    if (need === 'create') return await create(env, contact)
    const group = await env.api(roomsApi.group, { chatRoomId: contact.chatRoomId })
    return await env.crypto.joinRoom({ ...place, group })
  } catch (error) {
    if (isRefused(error, 'stale_epoch')) return undefined
    if (need !== 'join' || !(error instanceof CryptoFailure)) throw error
    return hasFailed ? await draft(env, contact, 'create', false) : undefined
  }
}

async function create(env: Env, contact: Contact): Promise<CommitDraft> {
  const { chatRoomId } = contact
  const { generation: current } = await env.api(roomsApi.group, { chatRoomId })
  const generation = current + 1
  const { packages } = await env.api(roomsApi.claimKeyPackages, { chatRoomId, generation })
  return env.crypto.createRoom({ ...placeOf(contact), generation, keyPackages: packages.map(({ keyPackage }) => keyPackage) })
}

/**
 * Posts a commit. When another one was first, what was missed is applied and the caller decides anew [Note: R6]. One that was made
 * for old device lists is dropped: the same bytes would be refused for ever.
 */
async function post(env: Env, contact: Contact, draft: CommitDraft): Promise<'level' | 'not_taken'> {
  try {
    await env.api(roomsApi.commit, draft)
    await catchUp(env, contact)
    return 'level'
  } catch (error) {
    if (isRefused(error, 'stale_manifest')) {
      await meetNamed(env, contact, error.details)
      // The log has it if it was taken before and only the answer was lost.
      await catchUp(env, contact)
      await env.crypto.dropCommit({ ...placeOf(contact), commit: draft.commit })
      return 'not_taken'
    }
    if (!isRefused(error, 'stale_epoch')) throw error
    const missed = logPageShape.safeParse((error.details as { log?: unknown } | undefined)?.log)
    await catchUp(env, contact, missed.data?.entries ?? [])
    return 'level'
  }
}
