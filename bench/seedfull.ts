import { randomUUID } from 'node:crypto'
import { directRoomId } from '../contract/ground/shapes.ts'
import { withClient } from './ground.ts'

export interface SeededRoom {
  chatRoomId: string
  otherId: string
}

/**
 * Writes rooms with contacts for an account, the newest first. Each has so many places, of which the server keeps the newest message
 * alone: a browser that has the others asks for none. `words`: of that message, which nobody has sealed.
 */
export const seedKeptRooms = (
  databaseUrl: string,
  userId: string,
  { rooms, messages, words }: { rooms: number; messages: number; words: (room: number) => string },
): Promise<SeededRoom[]> =>
  withClient(databaseUrl, async (client) => {
    const seeded = Array.from({ length: rooms }, () => {
      const otherId = randomUUID()
      return { otherId, chatRoomId: directRoomId(userId, otherId) }
    })
    const [ids, others] = [seeded.map(({ chatRoomId }) => chatRoomId), seeded.map(({ otherId }) => otherId)]
    await client.query(
      `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
       select id, 'person_' || n, 'Person ' || n, '\\x00', '\\x00', now(), now() from unnest($1::uuid[]) with ordinality as t (id, n)`,
      [others],
    )
    await client.query(
      `insert into chat_rooms (id, created_by, created_at, last_seq, last_message_seq, last_message_at)
       select id, $2, now(), $3, $3, now() - n * interval '1 minute' from unnest($1::text[]) with ordinality as t (id, n)`,
      [ids, userId, messages],
    )
    const sides = `unnest($1::text[], $2::uuid[]) as t (room, other), lateral (values (other, $3::uuid), ($3::uuid, other)) as v (a, b)`
    await client.query(
      `insert into chat_participants (chat_room_id, user_id, joined_at, delivered_seq, read_seq) select room, a, now(), $4, $4 from ${sides}
       on conflict (chat_room_id, user_id) do update set delivered_seq = excluded.delivered_seq, read_seq = excluded.read_seq`,
      [ids, others, userId, messages],
    )
    await client.query(
      `insert into contacts (id, user_id, contact_user_id, chat_room_id, state, added_at)
       select gen_random_uuid(), a, b, room, 'accepted', now() from ${sides}`,
      [ids, others, userId],
    )
    await client.query(
      `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
       select r.number, $2, gen_random_uuid(), t.other, t.words, 'text', false, r.last_message_at
       from unnest($1::text[], $3::uuid[], $4::text[]) as t (room, other, words) join chat_rooms r on r.id = t.room`,
      [ids, messages, others, seeded.map((_, at) => words(at))],
    )
    await client.query('vacuum analyze')
    return seeded
  })
