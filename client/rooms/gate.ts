import { z } from 'zod'
import { type Contact, contactsApi } from '../../contract/contacts.ts'
import type { Env } from '../env.ts'
import type { ApiError } from '../net/api.ts'
import { meetNamed } from '../trust/peers.ts'
import { placeOf } from './keys.ts'
import { catchUp, readyRoom } from './rooms.ts'

const closedShape = z.object({ needsCommit: z.literal(true) })

/**
 * A message was refused with stale_epoch: what was missed is read, the device lists that the refusal names are met. True: a device
 * was removed and nobody who knows has committed since; the room is readied with `mustCommit` then [Note: D3].
 */
export async function hearRefusal(env: Env, contact: Contact, { details }: ApiError): Promise<boolean> {
  const mustCommit = closedShape.safeParse(details).success
  if (mustCommit) await meetNamed(env, contact, details)
  else await catchUp(env, contact)
  return mustCommit
}

/**
 * After a device was removed here: a commit in each room that this browser has joined and that still has it inside. Whoever sends
 * next in the others makes theirs. A failure in one room does not keep the rest waiting; the first is thrown at the end.
 */
export async function commitEverywhere(env: Env): Promise<void> {
  const failures: unknown[] = []
  for (const contact of await env.api(contactsApi.list, {})) {
    await commitWhereNeeded(env, contact).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

async function commitWhereNeeded(env: Env, contact: Contact): Promise<void> {
  const place = placeOf(contact)
  if (contact.contactUser.isDeleted || (await env.crypto.roomRecord(place.chatRoomId))?.standing !== 'joined') return
  const { need } = await env.crypto.roomNeed({ ...place, now: env.clock().getTime() })
  // Where another device was faster all the time, the room has its commit.
  if (need === 'commit') await readyRoom(env, contact)
}

/**
 * An account that keeps no history reads by MLS alone: a new browser of it enters its rooms at once, not when it first sends
 * [Note: H1]. What came before that stays with the other browsers.
 */
export async function enterEverywhere(env: Env, contacts: Contact[]): Promise<void> {
  if ((await env.crypto.ownStanding()).keepsHistory) return
  for (const contact of contacts) {
    const record = await env.crypto.roomRecord(contact.chatRoomId)
    const isOutside = record?.standing === 'outside' && record.generation > 0
    if (isOutside && contact.state === 'accepted') await readyRoom(env, contact)
  }
}
