import pg from 'pg'
import { entryOfCommit, entryOfMessage } from './entries.ts'
import type { Stored, StoredRoom } from './law.ts'
import type { Entry } from './recorder.ts'

/** Reads the stored rooms directly from the database, in one snapshot. */
export async function readStored(databaseUrl: string, firstEpochs: Map<string, number>): Promise<Stored> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const entries = await readEntries(client)
    const members = groupByRoom(await rowsOf<MemberRow>(client, MEMBERS))
    const rooms = (await rowsOf<RoomRow>(client, ROOMS)).map(
      (room): StoredRoom => ({
        ...room,
        firstEpoch: firstEpochs.get(room.id) ?? 0,
        entries: entries.get(room.id) ?? [],
        members: members.get(room.id) ?? [],
      }),
    )
    const people = await rowsOf<{ id: string; count: number }>(
      client,
      'select id::text, monthly_messages_count as count from users',
    )
    return { rooms, counted: new Map(people.map(({ id, count }) => [id, count])) }
  } finally {
    await client.end()
  }
}

/** The epoch of each room, by room id. */
export async function readEpochs(databaseUrl: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return new Map((await rowsOf<RoomRow>(client, ROOMS)).map(({ id, epoch }) => [id, epoch]))
  } finally {
    await client.end()
  }
}

type RoomRow = Pick<StoredRoom, 'id' | 'lastSeq' | 'lastMessageSeq' | 'epoch'>
type MemberRow = StoredRoom['members'][number] & { roomId: string }

const ROOMS = `select id, last_seq::float8 as "lastSeq", last_message_seq::float8 as "lastMessageSeq", epoch from chat_rooms`
const MEMBERS = `select chat_room_id as "roomId", user_id::text as "userId", read_seq::float8 as "readSeq",
  delivered_seq::float8 as "deliveredSeq", unread_count as "unreadCount" from chat_participants`
const MESSAGES = `select r.id as "chatRoomId", m.seq::float8, m.id::text, m.sender_id::text as "senderId", m.content from messages m
  join chat_rooms r on r.number = m.room`
const COMMITS = `select r.id as "chatRoomId", c.seq::float8, c.sender_id::text as "senderId", c.commit, c.epoch from room_commits c
  join chat_rooms r on r.number = c.room`

async function readEntries(client: pg.Client): Promise<Map<string, Entry[]>> {
  const messages = await rowsOf<Parameters<typeof entryOfMessage>[0]>(client, MESSAGES)
  const commits = await rowsOf<Parameters<typeof entryOfCommit>[0]>(client, COMMITS)
  const rooms = groupByRoom([...messages.map(entryOfMessage), ...commits.map(entryOfCommit)])
  for (const entries of rooms.values()) entries.sort((a, b) => a.seq - b.seq)
  return rooms
}

async function rowsOf<Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<Row[]> {
  return (await client.query<Row>(text)).rows
}

function groupByRoom<T extends { roomId: string }>(all: T[]): Map<string, T[]> {
  const rooms = new Map<string, T[]>()
  for (const each of all) {
    const room = rooms.get(each.roomId)
    if (room) room.push(each)
    else rooms.set(each.roomId, [each])
  }
  return rooms
}
