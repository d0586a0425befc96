import { createHash, randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { writeEnvelope } from '../contract/chat/envelope.ts'
import { directRoomId } from '../contract/ground/shapes.ts'
import type { Tier } from '../contract/money/plans.ts'
import { connect, type Db } from '../server/ground/db/connect.ts'
import { numberOf } from '../server/ground/db/roomNumber.ts'
import { users } from '../server/ground/db/schema/account.ts'
import { contacts } from '../server/ground/db/schema/contacts.ts'
import { chatParticipants, chatRooms } from '../server/ground/db/schema/rooms.ts'
import { sessions } from '../server/ground/db/schema/sessions.ts'
import { grantTier } from '../server/money/ledger/ledger.ts'

/** A user with an account and a session. */
export interface SeedUser {
  id: string
  cookie: string
}

/** Two users who are contacts of each other, and their room. */
export interface Pair {
  sender: SeedUser
  receiver: SeedUser
  chatRoomId: string
  groupId: string
}

export interface LargeAccount {
  databaseUrl: string
  user: SeedUser
  contacts: number
  /** The room with many messages. */
  chatRoomId: string
  messages: number
}

const CHUNK = 500
const EPOCH = 1
const ENVELOPE_BYTES = 512
const UNREAD = 7
/** Rows per INSERT, so that each statement stays far below the product's statement timeout. */
const SERIES = 50_000

/** Writes users directly into the tables, because registering hundreds would take minutes. */
export const seedUsers = (databaseUrl: string, count: number): Promise<SeedUser[]> =>
  withDatabase(databaseUrl, (db) => addUsers(db, count))

/** Gives an account a plan as the command line does, so that it outlasts whatever recomputes the plan. */
export const givePlan = (databaseUrl: string, userId: string, tier: Tier): Promise<void> =>
  withDatabase(databaseUrl, (db) => db.transaction((tx) => grantTier(tx, new Date(), { userId, tier })))

/** Writes pairs of users, each with a room, as the build in a folder does where one is named: its tables may be other ones. */
export async function seedPairsFor(databaseUrl: string, count: number, folder?: string): Promise<Pair[]> {
  if (folder === undefined) return await seedPairs(databaseUrl, count)
  const theirs: { seedPairs: typeof seedPairs } = await import(path.resolve(folder, 'bench/seed.ts'))
  return await theirs.seedPairs(databaseUrl, count)
}

/** Writes pairs of users, each with a room. */
export const seedPairs = (databaseUrl: string, count: number): Promise<Pair[]> =>
  withDatabase(databaseUrl, async (db) => {
    const seeded = await addUsers(db, 2 * count)
    const pairs = await addRooms(db, seeded.slice(0, count), seeded.slice(count))
    await db.execute('vacuum analyze')
    return pairs
  })

/** Writes a user with 1,000 contacts, each with an unread message; one of the rooms has 1,000,000 messages. */
export const seedLargeAccount = (databaseUrl: string, isQuick: boolean): Promise<LargeAccount> =>
  withDatabase(databaseUrl, async (db) => {
    const count = isQuick ? 50 : 1000
    const messages = isQuick ? 5000 : 1_000_000
    const [user, ...others] = await addUsers(db, 1 + count)
    if (!user) throw new Error('No user was seeded')
    const rooms = await addRooms(
      db,
      others.map(() => user),
      others,
    )
    for (const room of rooms.slice(1)) await addMessages(db, room, 1, 1)
    const [long] = rooms
    if (!long) throw new Error('No room was seeded')
    await addMessages(db, long, messages, UNREAD)
    await db.execute('vacuum analyze')
    await db.execute('checkpoint')
    return { databaseUrl, user, contacts: count, chatRoomId: long.chatRoomId, messages }
  })

/** Gives this user so many contacts, each with one message, and one of them with many messages of that size. Returns that room. */
export const seedRoomsOf = (databaseUrl: string, user: SeedUser, size: { contacts: number; messages: number; bytes: number }) =>
  withDatabase(databaseUrl, async (db) => {
    const others = await addUsers(db, size.contacts)
    const [long, ...rooms] = await addRooms(
      db,
      others.map(() => user),
      others,
    )
    if (!long) throw new Error('No room was seeded')
    for (const room of rooms) await addMessages(db, room, 1, 1)
    await addMessages(db, long, size.messages, UNREAD, size.bytes)
    await db.execute('vacuum analyze')
    return long
  })

/** An envelope of so many bytes, 512 when absent, which the server cannot tell from a sealed message. */
export function envelopeFor(groupId: string, bytes = ENVELOPE_BYTES): string {
  const sealed = {
    v: 1,
    groupId,
    epoch: EPOCH,
    mls: randomBytes(96).toString('base64'),
    archive: randomBytes(72).toString('base64'),
  } as const
  const bodyChars = bytes - writeEnvelope({ ...sealed, body: '' }).length
  return writeEnvelope({ ...sealed, body: randomBytes(Math.floor(bodyChars / 4) * 3).toString('base64') })
}

async function withDatabase<T>(databaseUrl: string, work: (db: Db) => Promise<T>): Promise<T> {
  const database = connect(databaseUrl)
  try {
    return await work(database.db)
  } finally {
    await database.close()
  }
}

async function addUsers(db: Db, count: number): Promise<SeedUser[]> {
  const now = new Date()
  const made = Array.from({ length: count }, () => ({ id: randomUUID(), token: randomBytes(32).toString('base64url') }))
  for (const chunk of chunksOf(made)) {
    await db.insert(users).values(
      chunk.map(({ id }) => ({
        id,
        username: `u_${id.replaceAll('-', '').slice(0, 24)}`,
        displayName: 'A user',
        passwordHash: randomBytes(32),
        passwordSalt: randomBytes(16),
        publicKey: randomBytes(32),
        subscriptionTier: 'premium',
        usageResetDate: now,
        createdAt: now,
      })),
    )
    await db.insert(sessions).values(
      chunk.map(({ id, token }) => ({
        tokenHash: createHash('sha256').update(token).digest(),
        userId: id,
        deviceId: randomBytes(16).toString('hex'),
        provenAt: now,
        createdAt: now,
        lastUsedAt: now,
        expiresAt: new Date(now.getTime() + 86_400_000),
      })),
    )
  }
  return made.map(({ id, token }) => ({ id, cookie: `conclave_session=${token}` }))
}

async function addRooms(db: Db, senders: SeedUser[], receivers: SeedUser[]): Promise<Pair[]> {
  const addedAt = new Date()
  const pairs = senders.flatMap((sender, at) => {
    const receiver = receivers[at]
    const groupId = randomBytes(48).toString('base64')
    return receiver ? [{ sender, receiver, groupId, chatRoomId: directRoomId(sender.id, receiver.id) }] : []
  })
  const both = ({ sender, receiver }: Pair) => [
    { userId: sender.id, contactUserId: receiver.id },
    { userId: receiver.id, contactUserId: sender.id },
  ]
  for (const chunk of chunksOf(pairs)) {
    await db.insert(chatRooms).values(
      chunk.map(({ chatRoomId, groupId, sender }) => ({
        ...{ id: chatRoomId, createdBy: sender.id, createdAt: addedAt },
        ...{ generation: 1, groupId, epoch: EPOCH },
      })),
    )
    const sides = chunk.flatMap((pair) => both(pair).map((side) => ({ ...side, chatRoomId: pair.chatRoomId })))
    await db.insert(chatParticipants).values(sides.map(({ userId, chatRoomId }) => ({ userId, chatRoomId, joinedAt: addedAt })))
    await db.insert(contacts).values(sides.map((side) => ({ ...side, id: randomUUID(), state: 'accepted' as const, addedAt })))
  }
  return pairs
}

/** Writes messages of both users in turn, one a second. The sender has not read the last `unread` of them. */
async function addMessages(
  db: Db,
  { chatRoomId, sender, receiver, groupId }: Pair,
  count: number,
  unread: number,
  bytes = ENVELOPE_BYTES,
) {
  const content = envelopeFor(groupId, bytes)
  for (let from = 1; from <= count; from += SERIES) {
    await db.execute(sql`
      insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
      select ${numberOf(chatRoomId)}, seq, gen_random_uuid(), case when seq % 2 = 0 then ${sender.id}::uuid else ${receiver.id}::uuid end,
        ${content}, 'text', true, now() - (${count} - seq) * interval '1 second'
      from generate_series(${from}::bigint, ${Math.min(count, from + SERIES - 1)}::bigint) as seq`)
  }
  await db.execute(sql`
    update chat_rooms set last_seq = ${count}, last_message_seq = ${count}, last_message_at = now() where id = ${chatRoomId}`)
  await db.execute(sql`
    update chat_participants p set read_seq = ${count - unread}, delivered_seq = ${count}, unread_count = (
      select count(*) from messages m
      where m.room = ${numberOf(chatRoomId)} and m.seq > ${count - unread} and m.sender_id <> p.user_id)
    where p.chat_room_id = ${chatRoomId} and p.user_id = ${sender.id}`)
}

function chunksOf<T>(all: T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, at) => all.slice(at * CHUNK, (at + 1) * CHUNK))
}
