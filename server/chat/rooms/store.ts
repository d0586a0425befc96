import { and, asc, eq, getTableColumns, gt, lt, lte, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { bytesBefore } from '../../ground/db/pageBytes.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { users } from '../../ground/db/schema/account.ts'
import { messages } from '../../ground/db/schema/messages.ts'
import { chatParticipants, chatRooms, roomCommits, roomGroups } from '../../ground/db/schema/rooms.ts'
import { CONTENT_HASH, IS_WITHHELD, type Reader } from '../../ground/db/withheld.ts'
import type { OpenSessions } from '../chatlocks/chatGate.ts'

export interface Member {
  userId: string
  /** Marks as others see them. */
  deliveredSeq: number
  readSeq: number
  /** Cleared up to here. */
  clearedSeq: number
  /** Multirange of messages from people who were blocked then. */
  withheld: string
  /** True with a chat password. */
  isProtected: boolean
  showsReceipts: boolean
}

export interface Room {
  id: string
  /** Stands for it in the tables of its log. */
  number: number
  type: 'direct' | 'group' | 'notes'
  lastSeq: number
  /** 0 before the first group. */
  generation: number
  groupId: string | null
  epoch: number
  /** True if a member's account is deleted: the log is closed. */
  isClosed: boolean
  members: Member[]
}

export async function findRoom(db: Queryable, roomId: string): Promise<Room | undefined> {
  const rows = await roomWithMembers(db, { roomId })
  const room = rows[0]?.room
  return room && { ...room, members: rows.map((row) => row.member) }
}

const roomWithMembers = named((db) =>
  db
    .select({
      room: {
        id: chatRooms.id,
        number: chatRooms.number,
        type: chatRooms.type,
        lastSeq: chatRooms.lastSeq,
        generation: chatRooms.generation,
        groupId: chatRooms.groupId,
        epoch: chatRooms.epoch,
        isClosed: chatRooms.isClosed,
      },
      member: {
        userId: chatParticipants.userId,
        deliveredSeq: shown(chatParticipants.shownDeliveredSeq, chatParticipants.deliveredSeq),
        readSeq: shown(chatParticipants.shownReadSeq, chatParticipants.readSeq),
        clearedSeq: chatParticipants.clearedSeq,
        withheld: chatParticipants.withheld,
        isProtected: chatParticipants.isProtected,
        // The sub-select forces the key.
        showsReceipts: sql<boolean>`(select ${users.showsReceipts} from ${users} where ${users.id} = ${chatParticipants.userId})`,
      },
    })
    .from(chatParticipants)
    .innerJoin(chatRooms, eq(chatRooms.id, chatParticipants.chatRoomId))
    .where(eq(chatParticipants.chatRoomId, sql.placeholder('roomId')))
    .prepare('room_with_members'),
)

function shown(frozen: PgColumn, mark: PgColumn) {
  return sql<number>`coalesce(${frozen}, ${mark})`.mapWith(Number)
}

/** Returns false where it is, or where the account is deleted. */
export async function makeNotes(db: Queryable, roomId: string, userId: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    with owner as (select id from users where id = ${userId} and deleted_at is null for no key update),
      made as (
        insert into chat_rooms (id, type, created_by, created_at)
        select ${roomId}, 'notes', id, ${now}::timestamptz from owner on conflict do nothing returning id)
    insert into chat_participants (chat_room_id, user_id, joined_at)
    select made.id, owner.id, ${now}::timestamptz from made cross join owner`)
  return rowCount === 1
}

/** Serialises appends until the transaction ends. */
export async function lockRoom(tx: Queryable, roomId: string): Promise<void> {
  await tx.select({ id: chatRooms.id }).from(chatRooms).where(eq(chatRooms.id, roomId)).for('no key update')
}

export async function findGroup(db: Queryable, roomId: string) {
  const [row] = await db.select().from(roomGroups).where(eq(roomGroups.chatRoomId, roomId))
  return row
}

/** A row, with its room's id in place of its number. */
type Named<Row> = Omit<Row, 'room'> & { chatRoomId: string }
export type MessageRow = Named<typeof messages.$inferSelect>
export type CommitRow = Named<typeof roomCommits.$inferSelect>

const NAME = sql<string>`${sql.placeholder('roomId')}::text`.as('chat_room_id')

const CONTENT = sql<string>`case when ${IS_WITHHELD} then '' else ${messages.content} end`
const { room: _, contentHash: __, isSilent: ___, ...COLUMNS } = getTableColumns(messages)
const { room: ____, ...COMMIT_COLUMNS } = getTableColumns(roomCommits)
const SHOWN = {
  ...COLUMNS,
  chatRoomId: NAME,
  content: CONTENT.as('content'),
  withheldHash: sql<Buffer | null>`case when ${IS_WITHHELD} then ${CONTENT_HASH} end`.as('withheld_hash'),
}
type ShownRow = Omit<MessageRow, 'contentHash' | 'isSilent'> & { withheldHash: Buffer | null }

interface Range extends Reader {
  roomId: string
  after: number
  upTo: number
  limit: number
}

/** Reads up to the message that reaches `LIMITS.logPageBytes`. */
export const messagesBetween: (db: Queryable, range: Range) => Promise<(ShownRow & { bytesBefore: number })[]> = named((db) => {
  const page = db
    .select({ ...SHOWN, bytesBefore: bytesBefore(CONTENT, asc(messages.seq)) })
    .from(messages)
    .where(isWithin(messages.room, messages.seq))
    .orderBy(asc(messages.seq))
    .limit(sql.placeholder('limit'))
    .as('page')
  return db
    .select()
    .from(page)
    .where(lt(page.bytesBefore, LIMITS.logPageBytes))
    .orderBy(asc(page.seq))
    .prepare('messages_between')
})

/** Has the bound of `messagesBetween`. */
export const commitsBetween: (
  db: Queryable,
  range: Omit<Range, keyof Reader>,
) => Promise<(CommitRow & { bytesBefore: number })[]> = named((db) => {
  const page = db
    .select({ ...COMMIT_COLUMNS, chatRoomId: NAME, bytesBefore: bytesBefore(roomCommits.commit, asc(roomCommits.seq)) })
    .from(roomCommits)
    .where(isWithin(roomCommits.room, roomCommits.seq))
    .orderBy(asc(roomCommits.seq))
    .limit(sql.placeholder('limit'))
    .as('page')
  return db.select().from(page).where(lt(page.bytesBefore, LIMITS.logPageBytes)).orderBy(asc(page.seq)).prepare('commits_between')
})

const isWithin = (room: PgColumn, seq: PgColumn) =>
  and(eq(room, numberOf(sql.placeholder('roomId'))), gt(seq, sql.placeholder('after')), lte(seq, sql.placeholder('upTo')))

/**
 * Returns members to notify (`audience_of`). `open` has the sessions (hex) that opened the chat and used it after `openSince`.
 */
export async function findAudience(db: Queryable, roomId: string, actorId: string, openSince: Date): Promise<Audience> {
  const { rows } = await db.execute<{ userId: string; open: string[] | null }>(sql`
    select a.member_id::text as "userId", case when p.is_protected then array(
      select encode(o.session_hash, 'hex') from open_chats o
      where o.chat_room_id = p.chat_room_id and o.user_id = p.user_id and o.used_at > ${openSince}) end as open
    from audience_of(${roomId}, ${actorId}) a
    join chat_participants p on p.chat_room_id = ${roomId} and p.user_id = a.member_id
    where a.is_told`)
  return {
    userIds: rows.map((row) => row.userId),
    open: Object.fromEntries(rows.flatMap(({ userId, open }) => (open === null ? [] : [[userId, open]]))),
  }
}

export interface Audience {
  userIds: string[]
  open: OpenSessions
}

/** Returns the "room user" keys of members. */
export async function membersAmong(db: Queryable, keys: string[]): Promise<string[]> {
  const pairs = keys.map((key) => key.split(' '))
  const column = (at: number) => sql.param(pairs.map((pair) => pair[at]))
  const { rows } = await db.execute<{ key: string }>(sql`
    select p.chat_room_id || ' ' || p.user_id as key
    from unnest(${column(0)}::text[], ${column(1)}::uuid[]) as asked(chat_room_id, user_id)
    join chat_participants p on p.chat_room_id = asked.chat_room_id and p.user_id = asked.user_id`)
  return rows.map((row) => row.key)
}
