import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { createDatabase } from '../../ground/db/create.ts'
import { migrate } from '../../ground/db/migrate.ts'
import { startWorld } from '../../testing/world.ts'

const MIGRATIONS = join(import.meta.dirname, '../../ground/db/migrations')
/** The last migration of the builds in which nobody could be blocked: the column was there, and no call wrote it. */
const BEFORE_BLOCKS = '0016_muted_chats'

const [ALICE, BOB, CAROL] = [randomUUID(), randomUUID(), randomUUID()]
const TOKENS = { [ALICE]: randomBytes(32).toString('base64url'), [BOB]: randomBytes(32).toString('base64url') }
const room = directRoomId(ALICE, BOB)

/** Makes a database as a build of before left it. Returns its address. */
async function databaseOfBefore(): Promise<string> {
  const template = inject('clusterUrl')
  const name = `old_${randomBytes(8).toString('hex')}`
  await createDatabase(template.replace('/template?', '/postgres?'), name)
  const url = template.replace('/template?', `/${name}?`)
  const folder = await mkdtemp(join(tmpdir(), 'conclave-migrations-'))
  await cp(MIGRATIONS, folder, { recursive: true })
  const journal = join(folder, 'meta/_journal.json')
  const { entries, ...rest } = JSON.parse(await readFile(journal, 'utf8')) as { entries: { tag: string }[] }
  const upTo = entries.findIndex(({ tag }) => tag === BEFORE_BLOCKS) + 1
  await writeFile(journal, JSON.stringify({ ...rest, entries: entries.slice(0, upTo) }))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Not by today's `migrate`, which fills today's table of plans.
  await runMigrations(drizzle(client), { migrationsFolder: folder })
  await client.end()
  await rm(folder, { recursive: true })
  return url
}

/** Alice and Bob have talked, Carol has asked and written to her, and the operator has set her block of Bob by hand. Bob's server was killed while he was online. */
async function fill(old: pg.Client): Promise<void> {
  const now = new Date()
  const people = [
    { id: ALICE, other: BOB, name: 'alice', isOnline: false, isBlocked: true, readSeq: 1, unread: 1 },
    { id: BOB, other: ALICE, name: 'bob', isOnline: true, isBlocked: false, readSeq: 2, unread: 0 },
  ]
  for (const { id, name, isOnline } of people) {
    await old.query(
      `insert into users (id, username, display_name, password_hash, password_salt, is_online, last_seen, subscription_tier, usage_reset_date, created_at)
       values ($1, $2, $2, $3, $3, $4, $5, 'premium', $5, $5)`,
      [id, name, randomBytes(16), isOnline, now],
    )
    await old.query(
      `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at) values ($1, $2, $3, $3, $3::timestamptz + interval '1 day')`,
      [
        createHash('sha256')
          .update(TOKENS[id] ?? '')
          .digest(),
        id,
        now,
      ],
    )
  }
  await old.query(
    `insert into chat_rooms (id, created_by, created_at, last_seq, last_message_seq, last_message_at) values ($1, $2, $3, 2, 2, $3)`,
    [room, ALICE, now],
  )
  for (const { id, other, isBlocked, readSeq, unread } of people) {
    await old.query(
      `insert into chat_participants (chat_room_id, user_id, joined_at, delivered_seq, read_seq, unread_count) values ($1, $2, $3, 2, $4, $5)`,
      [room, id, now, readSeq, unread],
    )
    await old.query(
      `insert into contacts (id, user_id, contact_user_id, is_blocked, state, chat_room_id, added_at) values ($1, $2, $3, $4, 'accepted', $5, $6)`,
      [randomUUID(), id, other, isBlocked, room, now],
    )
  }
  for (const seq of [1, 2])
    await old.query(
      `insert into messages (chat_room_id, seq, id, sender_id, content, message_type, is_encrypted, created_at) values ($1, $2, $3, $4, $5, 'text', false, $6)`,
      [room, seq, randomUUID(), BOB, `of before ${seq}`, now],
    )
}

/** Carol's request is open: what she has written rings no bell. */
async function askAlice(old: pg.Client): Promise<void> {
  const [asked, now] = [directRoomId(ALICE, CAROL), new Date()]
  await old.query(
    `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
     values ($1, 'carol', 'carol', $2, $2, $3, $3)`,
    [CAROL, randomBytes(16), now],
  )
  await old.query(
    `insert into chat_rooms (id, created_by, created_at, last_seq, last_message_seq, last_message_at) values ($1, $2, $3, 1, 1, $3)`,
    [asked, CAROL, now],
  )
  for (const [id, other, state, unread] of [
    [ALICE, CAROL, 'pending', 1],
    [CAROL, ALICE, 'accepted', 0],
  ] as const) {
    await old.query(`insert into chat_participants (chat_room_id, user_id, joined_at, unread_count) values ($1, $2, $3, $4)`, [
      asked,
      id,
      now,
      unread,
    ])
    await old.query(
      `insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at) values ($1, $2, $3, $4, $5, $6)`,
      [randomUUID(), id, other, state, asked, now],
    )
  }
}

const url = await databaseOfBefore()
const client = new pg.Client({ connectionString: url })
await client.connect()
await fill(client)
await askAlice(client)
await client.end()
await migrate(url, MIGRATIONS)
const world = await startWorld({ at: url })

test('a block that was set by hand before there were any holds after the upgrade, nobody is signed out, and it can be lifted', async () => {
  const [alice, bob] = [ALICE, BOB].map((id) => {
    const browser = world.stranger()
    browser.cookie = `conclave_session=${TOKENS[id]}`
    return browser
  })
  if (!alice || !bob) throw new Error('Nobody is there')
  const textsOf = async (who: typeof alice) =>
    (await who.does(messagesApi.list, { chatRoomId: room })).map(({ content }) => content)
  const says = (content: string) => bob.does(messagesApi.send, { chatRoomId: room, content, messageType: 'text' })

  const contact = (await alice.does(contactsApi.list, {})).find(({ chatRoomId }) => chatRoomId === room)
  expect(contact).toMatchObject({ isBlocked: true, unreadCount: 1, contactUser: { isOnline: false } })
  expect(await alice.does(contactsApi.blocked, {})).toMatchObject([{ userId: BOB, isListed: true }])
  const socket = await alice.opensSocket()
  await socket.hears('hello')
  await says('while blocked')
  expect(await textsOf(alice)).toEqual(['of before 1', 'of before 2'])
  await alice.does(messagesApi.markRead, { chatRoomId: room })
  expect(await alice.does(notificationsApi.unreadCount, {})).toEqual({ count: 0 })
  // Bob sees her as she was at the upgrade: away, and no further than the first message.
  expect((await bob.does(contactsApi.list, {}))[0]).toMatchObject({ theirReadSeq: 1, contactUser: { isOnline: false } })
  expect(JSON.stringify(socket.frames)).not.toContain('while blocked')

  await alice.does(contactsApi.unblock, { contactId: contact?.id ?? '' })
  await says('afterwards')
  expect(await textsOf(alice)).toEqual(['of before 1', 'of before 2', 'afterwards'])
  await socket.hears('message', ({ data }) => data.content === 'afterwards')
  expect((await bob.does(contactsApi.list, {}))[0]).toMatchObject({ contactUser: { isOnline: true } })
  expect(await world.sql('select last_seen is not null as seen from presence where user_id = $1', [BOB])).toEqual([
    { seen: true },
  ])
  socket.hangsUp()
})
