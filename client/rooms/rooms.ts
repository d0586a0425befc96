import type { Contact } from '../../contract/contacts.ts'
import { messagesApi } from '../../contract/messages.ts'
import { type CommitDraft, type LogEntry, logPageShape, roomsApi } from '../../contract/rooms.ts'
import { CryptoFailure, type EpochName, type StoredMessage } from '../crypto/crypto.ts'
import { meetContact } from '../devices/devices.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { inTurn } from '../net/turns.ts'

const PAGE = 50
const TRIES = 8

/** Why nothing can be sent now, in words for the person. */
export type Readiness = { ready: true } | { ready: false; reason: string }

const placeOf = (contact: Contact) => ({ chatRoomId: contact.chatRoomId, peerId: contact.contactUserId })

/**
 * Follows a room's log to its end: live entries and replay both enter here. What is missing is asked for.
 * Returns the place that this device has reached.
 */
export function catchUp(env: Env, contact: Contact, live: LogEntry[] = []): Promise<number> {
  return inTurn(contact.chatRoomId, () => follow(env, contact, live))
}

async function follow(env: Env, contact: Contact, live: LogEntry[]): Promise<number> {
  const place = placeOf(contact)
  // Whoever wrote is known by key before anything of theirs is judged: a verdict is stored for good.
  await meetContact(env, contact)
  let entries = live
  let lastSeq = Number.POSITIVE_INFINITY
  for (;;) {
    const outcome = await env.crypto.receiveLog({ ...place, entries })
    if (outcome.mustEnter) await enter(env, contact)
    for (const userId of outcome.newerManifests)
      if (userId === contact.contactUserId) await meetContact(env, contact, Number.POSITIVE_INFINITY)
    if (outcome.missing.length > 0) await fetchArchiveKeys(env, contact, outcome.missing)
    if (outcome.foreignCommit) await audit(env, contact, outcome.foreignCommit)
    const { cursor } = outcome.mustEnter ? await env.crypto.receiveLog({ ...place, entries: [] }) : outcome
    const isDone = live.length > 0 ? !outcome.mustEnter && !outcome.hasGap : cursor >= lastSeq
    if (isDone) return cursor
    live = []
    const page = await env.api(roomsApi.log, { chatRoomId: contact.chatRoomId, after: cursor })
    entries = page.entries
    lastSeq = page.lastSeq
    if (entries.length === 0) return cursor
  }
}

/** What somebody else's commit left out is put right: their devices must not decide what ours can read later. */
async function audit(env: Env, contact: Contact, { groupId, epoch }: EpochName): Promise<void> {
  const { chatRoomId } = contact
  const group = await env.api(roomsApi.group, { chatRoomId })
  const { keys } = await env.api(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: String(epoch) })
  const { groupInfo, archiveKey } = await env.crypto.auditCommit({ ...placeOf(contact), group, keys })
  if (archiveKey) await env.api(roomsApi.addArchiveKeys, { chatRoomId, keys: [archiveKey] })
  if (groupInfo) await env.api(roomsApi.replaceGroupInfo, { chatRoomId, groupId, epoch, groupInfo })
}

/** Takes the room's group: by Welcome where there is one, else as a reader of the archive with the newest page. */
async function enter(env: Env, contact: Contact): Promise<void> {
  const { chatRoomId } = contact
  const isNew = !(await env.crypto.roomRecord(chatRoomId))
  const group = await env.api(roomsApi.group, { chatRoomId })
  const standing = await env.crypto.enterRoom({ ...placeOf(contact), group })
  if (standing === 'outside' && isNew) await loadOlderPage(env, contact, group.lastSeq + 1)
}

/** Fetches the page before a seq and keeps it, read by the archive. False: nothing older exists. */
export async function loadOlderPage(env: Env, contact: Contact, before: number): Promise<boolean> {
  if (before <= 1) return false
  const { chatRoomId } = contact
  const messages = await env.api(messagesApi.list, { chatRoomId, before, limit: PAGE })
  const missing = await env.crypto.missingEpochs(messages)
  if (missing.length > 0) await fetchKeys(env, chatRoomId, missing)
  await env.crypto.adoptPage({ ...placeOf(contact), messages, isStart: messages.length < PAGE })
  return messages.length > 0
}

async function fetchArchiveKeys(env: Env, contact: Contact, missing: EpochName[]): Promise<void> {
  await fetchKeys(env, contact.chatRoomId, missing)
  const { messages } = await env.crypto.page({ chatRoomId: contact.chatRoomId, limit: 500 })
  const sealed = messages.filter((message: StoredMessage) => message.body.kind === 'sealed')
  await env.crypto.reopenSealed({ ...placeOf(contact), messages: sealed })
}

async function fetchKeys(env: Env, chatRoomId: string, missing: EpochName[]): Promise<void> {
  for (const groupId of new Set(missing.map((place) => place.groupId))) {
    const epochs = missing.filter((place) => place.groupId === groupId).map((place) => place.epoch)
    for (let at = 0; at < epochs.length; at += 100) {
      const { keys } = await env.api(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: epochs.slice(at, at + 100).join(',') })
      await env.crypto.keepArchiveKeys(keys)
    }
  }
}

/**
 * Does what is needed before this device may send: knows the other side's devices, creates or enters the group,
 * removes leaves that are gone, heals [Note: R4, R7]. Each commit may lose against another one; then it starts over.
 */
export async function readyRoom(env: Env, contact: Contact): Promise<Readiness> {
  const meeting = await meetContact(env, contact)
  if (meeting === 'key_changed')
    return { ready: false, reason: "This person's key has changed. Nothing is sent until you decide." }
  let joinFailures = 0
  for (let attempt = 0; attempt < TRIES; attempt++) {
    // A device that is level with the log sends at once: when somebody was faster, the server says so.
    const isLevel = attempt === 0 && ((await env.crypto.roomRecord(contact.chatRoomId))?.cursor ?? 0) >= contact.lastSeq
    if (!isLevel) await catchUp(env, contact)
    const need = await env.crypto.roomNeed({ ...placeOf(contact), now: env.clock().getTime() })
    if (need === 'ready') return { ready: true }
    if (need === 'no_device')
      return {
        ready: false,
        reason: `${contact.contactUser.displayName} has no device yet. Your message waits here and goes out when they sign in.`,
      }
    const draft =
      need === 'create'
        ? await create(env, contact)
        : need === 'commit'
          ? await env.crypto.commitRoom(placeOf(contact))
          : undefined
    if (draft) {
      await post(env, contact, draft)
      continue
    }
    try {
      const group = await env.api(roomsApi.group, { chatRoomId: contact.chatRoomId })
      await post(env, contact, await env.crypto.joinRoom({ ...placeOf(contact), group }))
    } catch (error) {
      if (!(error instanceof CryptoFailure)) throw error
      joinFailures += 1
      // [Note: R4] The group cannot be entered: a new generation, after the log was read to its end.
      if (joinFailures > 1) await post(env, contact, await create(env, contact))
    }
  }
  return { ready: false, reason: 'The room is busy. Try again.' }
}

async function create(env: Env, contact: Contact): Promise<CommitDraft> {
  const { chatRoomId } = contact
  const { generation: current } = await env.api(roomsApi.group, { chatRoomId })
  const generation = current + 1
  const { packages } = await env.api(roomsApi.claimKeyPackages, { chatRoomId, generation })
  return env.crypto.createRoom({ ...placeOf(contact), generation, keyPackages: packages.map(({ keyPackage }) => keyPackage) })
}

/** Posts a commit. When another one was first, what was missed is applied and the caller decides anew [Note: R6]. */
async function post(env: Env, contact: Contact, draft: CommitDraft): Promise<void> {
  try {
    await env.api(roomsApi.commit, draft)
    await catchUp(env, contact)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'stale_epoch') throw error
    const missed = logPageShape.safeParse((error.details as { log?: unknown } | undefined)?.log)
    await catchUp(env, contact, missed.data?.entries ?? [])
  }
}
