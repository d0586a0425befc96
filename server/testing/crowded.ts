import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { roomsApi } from '../../contract/chat/rooms.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { directRoomId } from '../../contract/ground/shapes.ts'
import { readInbox } from '../chat/rooms/store-inbox.ts'
import { settle } from '../chat/rooms/store-settle.ts'
import type { Person } from './person.ts'
import type { World } from './world.ts'

/** Gives this person so many contacts, each with one message that is unread. Two at a time are equally old. Returns the rooms, the newest first. */
export async function plants(world: World, who: Person, count: number): Promise<string[]> {
  const others = Array.from({ length: count }, () => randomUUID())
  const rooms = others.map((id) => directRoomId(who.id, id))
  const each = `from unnest($2::uuid[], $3::text[]) with ordinality t(id, room, n) where $1::uuid is not null`
  const both = `from unnest($2::uuid[], $3::text[]) t(id, room), lateral (values ($1::uuid, id, 1), (id, $1::uuid, 0)) side(mine, theirs, unread)`
  for (const statement of [
    `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
     select id, 'p_' || left(replace(id::text, '-', ''), 24), 'Somebody', '', '', now(), now() ${each}`,
    `insert into chat_rooms (id, created_by, created_at, last_seq, last_message_seq, last_message_at)
     select room, id, now(), 1, 1, date_trunc('minute', now()) - (n / 2) * interval '1 minute' ${each}`,
    `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
     select (select number from chat_rooms where chat_rooms.id = room), 1, gen_random_uuid(), t.id, 'x', 'text', false,
       date_trunc('minute', now()) - (n / 2) * interval '1 minute' ${each}`,
    `insert into chat_participants (chat_room_id, user_id, joined_at, unread_count) select room, mine, now(), unread ${both}`,
    `insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
     select gen_random_uuid(), mine, theirs, 'accepted', room, now() ${both}`,
  ])
    await world.sql(statement, [who.id, others, rooms])
  return rooms
}

/** Ends that rows are called new which the person's inbox has compared. */
export async function settles(world: World, who: Person): Promise<void> {
  await world.settles()
  for (let time = 0; time < 2; time++) await who.does(roomsApi.list, {})
  const { comparedTo = '0' } = (await readInbox(world.env.db, who.id)) ?? {}
  await settle(world.env.db, who.id, comparedTo, LIMITS.contactsMax)
  expect((await readInbox(world.env.db, who.id))?.staleRows).toBe(0)
}
