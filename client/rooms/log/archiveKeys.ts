import { type ArchiveKey, roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import type { EpochName } from '../../worker/crypto.ts'
import { placeOf, type Room } from '../list/room.ts'
import { roomById } from '../list/roomList.ts'
import { readPages } from './readPages.ts'

const EPOCHS_AT_ONCE = 100
const ASK_AGAIN_MS = 5 * 60_000

/** Uploads what other members' commits omitted or falsified: own devices need these keys later. */
export async function auditCommits(env: Env, room: Room, epochs: EpochName[]): Promise<void> {
  const chatRoomId = room.id
  const group = await env.api(roomsApi.group, { chatRoomId })
  const keys = await fetchKeys(env, chatRoomId, epochs)
  const { groupInfo, archiveKeys } = await env.crypto.auditCommits({ ...placeOf(room), group, epochs, keys })
  try {
    if (archiveKeys.length > 0) await env.api(roomsApi.addArchiveKeys, { chatRoomId, keys: archiveKeys })
    const { groupId, epoch } = group
    if (groupInfo && groupId) await env.api(roomsApi.replaceGroupInfo, { chatRoomId, groupId, epoch, groupInfo })
  } catch (error) {
    // The next catch-up tries again.
    if (isRefused(error, 'key_bytes_reached')) return
    // A newer commit brought a new GroupInfo, or the server refuses the correct one.
    if (!isRefused(error, 'stale_epoch') && !isRefused(error, 'invalid_input')) throw error
  }
  await env.crypto.auditDone({ ...placeOf(room), epochs })
}

/** By account, room, group and epoch. */
const missedAt = new Map<string, number>()

/** [Note: H1] */
export async function fetchArchiveKeys(env: Env, room: Room, missing: EpochName[]): Promise<void> {
  const now = env.clock().getTime()
  const nameOf = ({ groupId, epoch }: EpochName) => `${room.ownId} ${room.id} ${groupId} ${epoch}`
  const due = missing.filter((epoch) => now - (missedAt.get(nameOf(epoch)) ?? 0) >= ASK_AGAIN_MS)
  if (due.length === 0) return
  await keepKeys(env, room, due)
  for (const epoch of await env.crypto.reopenWaiting(placeOf(room))) missedAt.set(nameOf(epoch), now)
}

/** Includes the pages of a chat that has or had a password. */
export async function keepKeys(env: Env, room: Room, epochs: EpochName[]): Promise<void> {
  await env.crypto.keepArchiveKeys(await fetchKeys(env, room.id, epochs), room.id)
  if (roomById(room.id)?.hasPages) await readPages(env, room)
}

export async function fetchKeys(env: Env, chatRoomId: string, epochs: EpochName[]): Promise<ArchiveKey[]> {
  const found: ArchiveKey[] = []
  for (const groupId of new Set(epochs.map((one) => one.groupId))) {
    const numbers = epochs.filter((one) => one.groupId === groupId).map((one) => one.epoch)
    for (let at = 0; at < numbers.length; at += EPOCHS_AT_ONCE) {
      const some = numbers.slice(at, at + EPOCHS_AT_ONCE).join(',')
      const { keys } = await env.api(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: some })
      found.push(...keys)
    }
  }
  return found
}
