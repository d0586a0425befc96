import type { Contact } from '../../contract/contacts.ts'
import { type ArchiveKey, roomsApi } from '../../contract/rooms.ts'
import type { EpochName } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'

/** What the server answers at once. */
const EPOCHS_AT_ONCE = 100
/** For how long an archive key that the server did not have is not asked for again. */
const ASK_AGAIN_MS = 5 * 60_000

/** A room and the other person in it, as the vault knows them. */
export const placeOf = (contact: Contact) => ({ chatRoomId: contact.chatRoomId, peerId: contact.contactUserId })

export const isRefused = (error: unknown, code: ApiError['code']): error is ApiError =>
  error instanceof ApiError && error.code === code

/** What others' commits left out is put right: their devices must not decide what ours can read later. */
export async function auditCommits(env: Env, contact: Contact, epochs: EpochName[]): Promise<void> {
  const { chatRoomId } = contact
  const group = await env.api(roomsApi.group, { chatRoomId })
  const keys = await askForKeys(env, chatRoomId, epochs)
  const { groupInfo, archiveKeys } = await env.crypto.auditCommits({ ...placeOf(contact), group, epochs, keys })
  try {
    if (archiveKeys.length > 0) await env.api(roomsApi.addArchiveKeys, { chatRoomId, keys: archiveKeys })
    const { groupId, epoch } = group
    if (groupInfo && groupId) await env.api(roomsApi.replaceGroupInfo, { chatRoomId, groupId, epoch, groupInfo })
  } catch (error) {
    // The room has moved on, and who moved it left a new GroupInfo; or the server does not want what would be right.
    if (!isRefused(error, 'stale_epoch') && !isRefused(error, 'invalid_input')) throw error
  }
  await env.crypto.auditDone({ ...placeOf(contact), epochs })
}

/** By account, room, group and epoch: when the server was last asked in vain for an archive key that messages wait for. */
const askedAt = new Map<string, number>()

/** Fetches the archive keys that messages wait for, and opens those messages [Note: H1]. */
export async function fetchArchiveKeys(env: Env, contact: Contact, missing: EpochName[]): Promise<void> {
  const { chatRoomId } = contact
  const now = env.clock().getTime()
  const nameOf = ({ groupId, epoch }: EpochName) => `${contact.userId} ${chatRoomId} ${groupId} ${epoch}`
  const fresh = missing.filter((place) => now - (askedAt.get(nameOf(place)) ?? 0) >= ASK_AGAIN_MS)
  if (fresh.length === 0) return
  await env.crypto.keepArchiveKeys(await askForKeys(env, chatRoomId, fresh))
  for (const place of await env.crypto.reopenWaiting(placeOf(contact))) askedAt.set(nameOf(place), now)
}

/** This account's sealed archive keys of some epochs. */
export async function askForKeys(env: Env, chatRoomId: string, places: EpochName[]): Promise<ArchiveKey[]> {
  const found: ArchiveKey[] = []
  for (const groupId of new Set(places.map((place) => place.groupId))) {
    const epochs = places.filter((place) => place.groupId === groupId).map((place) => place.epoch)
    for (let at = 0; at < epochs.length; at += EPOCHS_AT_ONCE) {
      const asked = epochs.slice(at, at + EPOCHS_AT_ONCE).join(',')
      const { keys } = await env.api(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: asked })
      found.push(...keys)
    }
  }
  return found
}
