import type { ListedRoom } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { roomOfRow } from '../list/listedRoom.ts'
import { placeOf, type Room } from '../list/room.ts'
import { readyRoom } from './readyRoom.ts'
import { mayCommit } from './staleEpoch.ts'

/** Elsewhere the next sender commits. Throws the first failure after all rooms. */
export async function commitEverywhere(env: Env): Promise<void> {
  const failures: unknown[] = []
  const ownId = await env.crypto.ownId()
  for (const row of await everyRow(env)) {
    await commitWhereNeeded(env, roomOfRow(ownId, row).room).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

async function commitWhereNeeded(env: Env, room: Room): Promise<void> {
  if (room.isClosed || !mayCommit(room) || (await env.crypto.roomRecord(room.id))?.standing !== 'joined') return
  const { need } = await env.crypto.roomNeed({ ...placeOf(room), now: env.clock().getTime() })
  if (need === 'commit') await readyRoom(env, room)
}

async function everyRow(env: Env): Promise<ListedRoom[]> {
  const rows: ListedRoom[] = []
  for (let before: string | undefined; ; ) {
    const page = await env.api(roomsApi.list, { ...(before !== undefined && { before }), limit: LIMITS.roomPageMax })
    rows.push(...page.rooms)
    if (page.before === null) return rows
    before = page.before
  }
}
