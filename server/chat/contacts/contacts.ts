import type { z } from 'zod'
import { type Contact, contactsApi } from '../../../contract/chat/contacts.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { onionAddress, publicKeyOfOnion } from '../../../contract/people/onion.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { seemAway } from '../../people/presence/presence.ts'
import { looksMutual } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { bringUp } from '../rooms/inbox.ts'
import { forgetLocked } from './giveup.ts'
import { newRequest, putRequest } from './requests.ts'
import * as store from './store.ts'
import { lockContact } from './store-block.ts'

interface Who {
  username?: string | undefined
  onionAddress?: string | undefined
}

type Asked = z.output<typeof contactsApi.list.input>

/** Returns a page of contacts with last message and counters, newest chat first, as JSON in the contract's shape. `setNext` is given the place of the next one. */
export async function listContacts(
  env: Env,
  user: SignedInUser,
  { before, limit }: Asked,
  setNext: (before: string) => void,
): Promise<string> {
  const dot = before?.indexOf('.') ?? 0
  const place = before === undefined ? undefined : { ms: Number(before.slice(0, dot)), roomId: before.slice(dot + 1) }
  const read = () => store.contactPage(env.db, user, place, limit + 1, env.clock())
  // Later pages keep to the order of the first one, so that nobody is passed over who moves to the front meanwhile.
  const kept = place === undefined ? [] : await read()
  if (kept.length === 0) await bringUp(env.db, user.id)
  const picked = kept.length === 0 ? await read() : kept
  const page = picked.slice(0, limit)
  const last = page.at(-1)
  if (last && picked.length > limit) setNext(`${last.ms}.${last.roomId}`)
  return `[${page.flatMap(({ json }) => json ?? []).join()}]`
}

/** Adds a person to the caller's list and sends them a request. If they have asked first, both are contacts at once. Throws Refusal. */
export async function addContact(env: Env, user: SignedInUser, who: Who): Promise<Contact> {
  const person = await store.findPerson(env.db, readWho(who))
  if (!person) throw new Refusal('user_not_found')
  if (person.id === user.id) throw new Refusal('cannot_add_self')
  const added = await env.db.transaction((tx) => addPerson(tx, user.id, person.id, env.clock()))
  if (added.isAskedAgain) env.hub.publish([person.id], { type: 'contacts', data: { userIds: [user.id] } })
  // The answer is the same if the first request has lapsed, because the caller must not learn that.
  if (added.isMine) throw new Refusal('already_contact')
  announceAdded(env, user.id, person.id, added)
  return await requireContact(env, user, added.contactId)
}

/**
 * Puts a person on the caller's list and a request on theirs, unless they have a row of the caller. Returns the caller's row: `isMine`
 * if it was accepted before, `isAskedAgain` if only the lapsed request was put again, `isBlocked` if the person has blocked the
 * caller. Throws Refusal.
 */
export async function addPerson(tx: Queryable, callerId: string, personId: string, now: Date) {
  // The room is locked first, so that two people who add each other at the same time take turns.
  const isOpen = await store.openRoom(tx, directRoomId(callerId, personId), callerId, [callerId, personId], now)
  if (!isOpen) throw new Refusal('user_not_found')
  const pair = await store.findPair(tx, callerId, personId)
  const mine = pair.find((row) => row.userId === callerId)
  const theirs = pair.find((row) => row.userId === personId)
  const isMine = mine?.state === 'accepted'
  if (!isMine && (await store.countAccepted(tx, callerId)) >= LIMITS.contactsMax) throw new Refusal('too_many_contacts')
  const own = { ...newRequest(personId, callerId, now), state: 'accepted' as const }
  // A declined request keeps its row, so it is not sent again. A lapsed request has no row and is sent again.
  if (!mine) await store.insertContacts(tx, [own])
  if (!theirs) await putRequest(tx, callerId, personId, now)
  if (mine && !isMine) await store.relist(tx, mine.id)
  return { contactId: mine?.id ?? own.id, isMine, isAskedAgain: isMine && !theirs, isBlocked: theirs?.isBlocked === true }
}

/** Accepts a request, also one that was declined before. Throws Refusal. */
export async function acceptContact(env: Env, user: SignedInUser, contactId: string): Promise<Contact> {
  const row = await store.moveState(env.db, user.id, contactId, ['pending', 'declined'], 'accepted')
  if (row) announce(env, user.id, row.contactUserId)
  return await requireContact(env, user, contactId)
}

/** Declines a request, which hides it from the list. The asker is not notified. Throws Refusal. */
export async function declineContact(env: Env, user: SignedInUser, contactId: string): Promise<Record<string, never>> {
  const row = await store.moveState(env.db, user.id, contactId, ['pending', 'declined'], 'declined')
  if (!row) throw new Refusal('not_found')
  env.hub.publish([user.id], { type: 'contacts', data: { userIds: [row.contactUserId] } })
  return {}
}

/**
 * Takes a person off the caller's list. The room and its messages stay, and the other person is not notified, but that a photo is gone:
 * for them the caller is somebody who has not accepted. A block stays. A chat password goes with the contact, and with it the caller's side of the
 * chat: else removing and adding again would open the chat. Throws Refusal.
 */
export async function removeContact(env: Env, user: SignedInUser, contactId: string): Promise<Record<string, never>> {
  const { row, hidesPhoto } = await env.db.transaction(async (tx) => {
    const contact = await lockContact(tx, user.id, contactId)
    const wasMutual = contact && (await looksMutual(tx, contact.contactUserId, user.id))
    const hidesPhoto = wasMutual && (await store.hasPhoto(tx, user.id))
    const gone = contact && (await store.deleteContact(tx, user.id, contactId))
    if (gone && contact) await forgetLocked(tx, contact)
    return { row: gone, hidesPhoto }
  })
  if (!row) throw new Refusal('not_found')
  env.hub.publish([user.id], { type: 'contacts', data: { userIds: [row.contactUserId] } })
  // To them it looks as if the photo had been taken away, which is what their next read would show.
  if (hidesPhoto) env.hub.publish([row.contactUserId], { type: 'contacts', data: { userIds: [user.id] } })
  await seemAway(env, user.id, row.contactUserId)
  return {}
}

/** Puts a declined request back on the list, unless the asker is blocked. The asker is not notified. Throws Refusal. */
export async function restoreContact(env: Env, user: SignedInUser, contactId: string): Promise<Contact> {
  const row = await store.moveState(env.db, user.id, contactId, ['pending', 'declined'], 'pending')
  if (!row) throw new Refusal('not_found')
  env.hub.publish([user.id], { type: 'contacts', data: { userIds: [row.contactUserId] } })
  return await requireContact(env, user, contactId)
}

/** Returns one row of the caller's list. Throws Refusal. */
export async function requireContact(env: Env, user: SignedInUser, contactId: string): Promise<Contact> {
  const [contact] = contactsApi.list.output.parse(JSON.parse(await store.rowJson(env.db, user, contactId, env.clock())))
  if (!contact) throw new Refusal('not_found')
  return contact
}

function readWho({ username, onionAddress: address }: Who): { username: string } | { onionAddress: string } {
  if (address === undefined) return { username: (username ?? '').toLowerCase() }
  const publicKey = publicKeyOfOnion(address)
  if (!publicKey) throw new Refusal('invalid_onion_address')
  return { onionAddress: onionAddress(publicKey) }
}

/** Tells two people that one has added the other. Who has blocked the adding one is told nothing. */
export function announceAdded(env: Env, callerId: string, personId: string, { isBlocked }: { isBlocked: boolean }): void {
  if (isBlocked) env.hub.publish([callerId], { type: 'contacts', data: { userIds: [callerId, personId] } })
  else announce(env, callerId, personId)
}

/** Tells two people that each other's row has changed. */
function announce(env: Env, ...userIds: [string, string]): void {
  env.hub.publish(userIds, { type: 'contacts', data: { userIds } })
}
