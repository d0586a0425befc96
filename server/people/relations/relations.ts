import type { Queryable } from '../../ground/db/connect.ts'
import * as store from './store.ts'

/** The contacts of each who take both for mutual: blocked ones too. */
export async function mutualContacts(db: Queryable, userIds: string[]): Promise<Map<string, string[]>> {
  const rows = await store.findMutual(db, userIds)
  return new Map(rows.map(({ userId, others }) => [userId, others]))
}

/** True if both have accepted each other, and neither blocks the other. */
export async function areMutual(db: Queryable, a: string, b: string): Promise<boolean> {
  const pair = await store.findPair(db, a, b)
  return pair.length === 2 && pair.every(({ state, isBlocked }) => state === 'accepted' && !isBlocked)
}

/** True if both have accepted each other, as the caller may know it: somebody who blocks the caller looks as before. */
export async function looksMutual(db: Queryable, callerId: string, otherId: string): Promise<boolean> {
  const pair = await store.findPair(db, callerId, otherId)
  const isOpen = (row: (typeof pair)[number]) => row.state === 'accepted' && !(row.userId === callerId && row.isBlocked)
  return pair.length === 2 && pair.every(isOpen)
}

/** True if the caller's list has the other person of this direct room, accepted or as an open request. */
export async function hasRoomOnList(db: Queryable, callerId: string, roomId: string): Promise<boolean> {
  const contact = await store.findOfRoom(db, callerId, roomId)
  return contact !== undefined && contact.state !== 'declined' && !contact.isBlocked
}

/** True if one has the other on the list, in any state but blocked, or both are members of a group. */
export async function areAcquainted(db: Queryable, a: string, b: string): Promise<boolean> {
  const pair = await store.findPair(db, a, b)
  return pair.some(({ isBlocked }) => !isBlocked) || (await store.shareGroup(db, a, b))
}

/** True if the caller may know each change of the other's browsers. */
export async function mayFollow(db: Queryable, callerId: string, otherId: string): Promise<boolean> {
  return (await looksMutual(db, callerId, otherId)) || (await store.shareGroup(db, callerId, otherId))
}
