import { expect, test } from 'vitest'
import { type Notification, notificationsApi } from '../../../contract/chat/notifications.ts'
import { plants, settles } from '../../testing/crowded.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

/** Every page. */
async function everyNotification(who: Person, limit: number): Promise<Notification[]> {
  const all: Notification[] = []
  for (let before: string | undefined; ; ) {
    const page = await who.does(notificationsApi.list, { limit, ...(before !== undefined && { before }) })
    all.push(...page.notifications)
    if (page.before === null) return all
    before = page.before
  }
}

test('notifications are the unread messages, newest first, whether an inbox has compared their rooms or not', async () => {
  const alice = await world.person('alice')
  const rooms = await plants(world, alice, 40)
  const inView = async () =>
    await world.sql(
      `select chat_room_id as "chatRoomId", seq from notifications where user_id = $1 and not is_read and (muted_until is null or muted_until <= now())
       order by created_at desc, seq desc, chat_room_id desc`,
      [alice.id],
    )
  const agrees = async () => {
    const viewed = await inView()
    for (const limit of [1, 7, 50])
      expect((await everyNotification(alice, limit)).map(({ chatRoomId, seq }) => ({ chatRoomId, seq }))).toEqual(viewed)
    return viewed.length
  }
  expect(await agrees()).toBe(40)
  await settles(world, alice)
  expect(await agrees()).toBe(40)
  // Rooms that have changed since stand between those that have not: read, muted, with an older message unread behind one’s own, with more.
  const [read = '', muted = '', answered = '', longer = ''] = [rooms[3], rooms[10], rooms[20], rooms[30]]
  await alice.does(notificationsApi.read, { rooms: [{ chatRoomId: read, seq: 1 }] })
  await alice.does(notificationsApi.mute, { chatRoomId: muted, term: 'hour' })
  await alice.says(answered, 'own')
  await world.sql(
    `with more as (
       insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
       select room, n, gen_random_uuid(), sender_id, 'x', 'text', false, created_at + (n * 10) * interval '1 minute'
       from messages, generate_series(2, 4) n where room = (select number from chat_rooms where id = $1) and seq = 1)
     update chat_participants set unread_count = 4 where chat_room_id = $1 and user_id = $2`,
    [longer, alice.id],
  )
  expect(await agrees()).toBe(41)
  await settles(world, alice)
  expect(await agrees()).toBe(41)
})
