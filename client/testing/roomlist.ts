import type { z } from 'zod'
import type { Contact } from '../../contract/chat/contacts.ts'
import type { ListedRoom, RoomPage } from '../../contract/chat/roomlist.ts'
import type { roomsApi } from '../../contract/chat/rooms.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { ApiError } from '../net/api.ts'
import { rowOfContact } from '../rooms/list/listedRoom.ts'

/** What an answer has shown: the JSON of each row, by room id. */
type Shown = ReadonlyMap<string, string>

/**
 * The room list, according to the contract. Nothing counts changes: each counter stands for the rows that its reader has seen, and
 * what differs from them has changed.
 */
export function roomList(listOf: (userId: string, deviceId: string) => Contact[]) {
  const answers = new Map<string, Shown>()
  let counters = 0

  function counterOf(userId: string, shown: Shown): string {
    counters += 1
    answers.set(`${userId} ${counters}`, shown)
    return String(counters)
  }

  const shownOf = (rows: ListedRoom[]): Shown => new Map(rows.map((row) => [row.chatRoomId, JSON.stringify(row)]))

  function changes(userId: string, rows: ListedRoom[], since: string, limit: number): RoomPage {
    const before = answers.get(`${userId} ${since}`)
    if (!before) throw new ApiError(410, 'list_moved_on', 'The list has changed too much. Read it anew')
    const now = shownOf(rows)
    const changed = rows.filter(({ chatRoomId }) => before.get(chatRoomId) !== now.get(chatRoomId))
    const gone = [...before.keys()].filter((id) => !now.has(id))
    const [page, removed] = [changed.slice(0, limit), gone.slice(0, limit)]
    const seen = new Map([...before, ...shownOf(page)])
    for (const id of removed) seen.delete(id)
    const more = changed.length > limit || gone.length > limit
    return { rooms: page, removed, counter: counterOf(userId, seen), more, before: null }
  }

  function pageOf(userId: string, rows: ListedRoom[], before: string | undefined, limit: number): RoomPage {
    const placeOf = ({ chatRoomId, lastMessage, addedAt }: ListedRoom) =>
      `${Date.parse(lastMessage?.createdAt ?? addedAt)}.${chatRoomId}`
    const sorted = rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
    const rest = before === undefined ? sorted : sorted.filter((row) => placeOf(row) < before)
    const page = rest.slice(0, limit)
    const last = page.at(-1)
    const more = rest.length > limit
    return {
      rooms: page,
      removed: [],
      counter: counterOf(userId, shownOf(rows)),
      more,
      before: more && last ? placeOf(last) : null,
    }
  }

  return (
    { before, since, ids, limit = LIMITS.pageDefault }: z.output<typeof roomsApi.list.input>,
    userId: string,
    deviceId: string,
  ): RoomPage => {
    const rows = listOf(userId, deviceId).map(rowOfContact)
    if (since !== undefined) return changes(userId, rows, since, limit)
    if (ids === undefined) return pageOf(userId, rows, before, limit)
    const byId = new Map(rows.map((row) => [row.chatRoomId, row]))
    const asked = ids.split(',')
    return {
      ...{ rooms: asked.flatMap((id) => byId.get(id) ?? []), removed: asked.filter((id) => !byId.has(id)) },
      ...{ counter: null, more: false, before: null },
    }
  }
}
