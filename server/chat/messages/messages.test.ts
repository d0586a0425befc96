import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { writeEnvelope } from '../../../contract/chat/envelope.ts'
import { messagesApi, SILENT_LIMITS } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import type { Tier } from '../../../contract/money/plans.ts'
import { firstManifests } from '../../testing/group.ts'
import { newMessage } from '../../testing/message.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { appendMessages } from '../rooms/store-append.ts'

const world = await startWorld()
const { alice, bob, eve } = await world.people()
const room = await alice.talksTo(bob)

const setTier = (tier: Tier, who: Person) => world.sql('update users set subscription_tier = $1 where id = $2', [tier, who.id])
const rowsOf = (chatRoomId: string) =>
  world.sql('select * from messages where room = (select number from chat_rooms where id = $1) order by seq', [chatRoomId])

async function freshPair(): Promise<{ one: Person; two: Person; chatRoomId: string }> {
  const [one, two] = await Promise.all([world.person('one'), world.person('two')])
  return { one, two, chatRoomId: await one.talksTo(two) }
}

test('Bob reads what Alice wrote, live and in the list', async () => {
  const line = await bob.opensSocket()
  const sent = await alice.says(room, 'hello')
  expect(sent).toMatchObject({ seq: 1, senderId: alice.id, deliveryStatus: 'sent', isEncrypted: false })
  expect((await line.hears('message')).data).toEqual(sent)
  expect(await bob.does(messagesApi.list, { chatRoomId: room })).toEqual([sent])
  line.hangsUp()
})

test('who asks for a brief answer is not sent back what they sent, but learns what stands under an id that is taken', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const draft = { id: randomUUID(), chatRoomId, content: 'in no answer', messageType: 'text' as const, isBrief: true }
  const { body } = await one.tries(messagesApi.send, draft)
  const [message] = await two.does(messagesApi.list, { chatRoomId })
  expect(body).toEqual({ ...message, content: '' })
  expect((await one.tries(messagesApi.send, { ...draft, content: 'sealed anew' })).body).toEqual(message)
  expect(await one.says(chatRoomId, 'as pages of before ask')).toMatchObject({ content: 'as pages of before ask', seq: 2 })
})

test('a page is byte for byte what the contract writes of it', async () => {
  const { one, two, chatRoomId } = await freshPair()
  for (const text of ['plain', 'B"\\/\b\t\u001f\u007f\u2028<é😀']) await one.says(chatRoomId, text)
  const { seq } = await two.says(chatRoomId, 'an answer')
  await one.does(messagesApi.markRead, { chatRoomId, seq })
  for (const query of ['', '&limit=100', '&after=1&limit=1']) {
    const { text } = await one.request('GET', `/api/messages?chatRoomId=${chatRoomId}${query}`)
    expect(text).toBe(JSON.stringify(messagesApi.list.output.parse(JSON.parse(text))))
  }
})

test('a message that the other has read is read, although its sender has not read what came before it', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await one.says(chatRoomId, 'a word, so that two may write')
  await two.says(chatRoomId, 'not looked at by one')
  const { seq } = await one.says(chatRoomId, 'an answer at once')
  await two.does(messagesApi.markRead, { chatRoomId, seq })
  const page = await one.does(messagesApi.list, { chatRoomId })
  expect(page.map(({ deliveryStatus }) => deliveryStatus)).toEqual(['read', 'sent', 'read'])
})

test.each([1, 40_000, 65_536])('Bob receives a message of %i bytes live, in each of his tabs', async (sizeBytes) => {
  const tabs = [await bob.opensSocket(), await bob.opensSocket()]
  const sent = await alice.says(room, 'x'.repeat(sizeBytes))
  for (const tab of tabs) {
    expect((await tab.hears('message')).data).toEqual(sent)
    tab.hangsUp()
  }
})

test('Eve cannot post into a room that she is not in, read it or mark it, and does not learn that it exists', async () => {
  const before = await rowsOf(room)
  const unknown = `dm_${randomUUID()}_${randomUUID()}`
  for (const chatRoomId of [room, unknown]) {
    expect(await eve.posts(chatRoomId, 'let me in')).toMatchObject({ status: 404, code: 'not_found' })
    expect(await eve.tries(messagesApi.list, { chatRoomId })).toMatchObject({ status: 404, code: 'not_found' })
    expect(await eve.tries(messagesApi.markRead, { chatRoomId })).toMatchObject({ status: 404 })
    expect(await eve.tries(messagesApi.markDelivered, { chatRoomId, seq: 1 })).toMatchObject({ status: 404 })
  }
  expect(await rowsOf(room)).toEqual(before)
})

test('whoever may not send holds nobody up: strangers and free accounts are refused without waiting for the room', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const known = await two.says(chatRoomId, 'while there was a plan')
  await setTier('free', two)
  // Who could send is remembered for ten seconds.
  world.passes(11)
  await world.env.db.transaction(async (tx) => {
    await tx.execute(sql`select from chat_rooms where id = ${chatRoomId} for no key update`)
    expect(await eve.posts(chatRoomId, 'let me in')).toBeRefused(404, 'not_found')
    expect(await two.posts(chatRoomId, 'for free')).toBeRefused(403, 'subscription_required')
    expect(await two.says(chatRoomId, known.content, { id: known.id })).toEqual(known)
    expect(world.env.batch.waiting()).toBe(0)
  })
  expect((await one.says(chatRoomId, 'next')).seq).toBe(2)
})

test('one look-up of a session is enough for what it sends and marks within ten seconds', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const asked = vi.spyOn(world.env, 'findSession')
  onTestFinished(() => asked.mockRestore())
  await one.does(messagesApi.markRead, { chatRoomId })
  await one.says(chatRoomId, 'hello')
  expect(asked).toHaveBeenCalledTimes(1)
  await setTier('free', two)
  await two.does(messagesApi.markRead, { chatRoomId })
  expect(await two.posts(chatRoomId, 'for free')).toBeRefused(403, 'subscription_required')
  await setTier('premium', two)
  await two.says(chatRoomId, 'paid a moment ago')
})

test('fifty messages at once take gapless places, whoever sends them', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const sent = await Promise.all(Array.from({ length: 50 }, (_, at) => (at % 2 ? one : two).says(chatRoomId, `message ${at}`)))
  expect(sent.map((message) => message.seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
})

test('the same message sent twenty times at once is one row, and burns no place', async () => {
  const { one, chatRoomId } = await freshPair()
  const id = randomUUID()
  const answers = await Promise.all(Array.from({ length: 20 }, () => one.says(chatRoomId, 'once', { id })))
  expect(new Set(answers.map((message) => message.seq))).toEqual(new Set([1]))
  expect(await rowsOf(chatRoomId)).toHaveLength(1)
  expect((await one.says(chatRoomId, 'next')).seq).toBe(2)
})

test('a known message returns its row when the epoch has moved on and when the plan has lapsed', async () => {
  const { one, chatRoomId } = await freshPair()
  const first = await one.says(chatRoomId, 'kept', { id: randomUUID().toUpperCase() })
  await setTier('free', one)
  await world.sql("update chat_rooms set generation = 3, group_id = 'x', epoch = 7 where id = $1", [chatRoomId])
  expect(await one.says(chatRoomId, 'other words', { id: first.id })).toEqual(first)
  expect(await one.posts(chatRoomId, 'new')).toMatchObject({ status: 403, code: 'subscription_required' })
})

test('an id of Alice is not an id of Bob: he cannot overwrite or take it', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const mine = await one.says(chatRoomId, 'mine')
  const theirs = await two.says(chatRoomId, 'theirs', { id: mine.id })
  expect(theirs).toMatchObject({ id: mine.id, seq: 2, senderId: two.id, content: 'theirs' })
  expect((await rowsOf(chatRoomId)).map((row) => row.content)).toEqual(['mine', 'theirs'])
})

test('Eve cannot name a file of the server: nobody has uploaded one, so no file is found', async () => {
  const { one, chatRoomId } = await freshPair()
  const named = [
    { filePath: '/etc/passwd' },
    { filePath: '/objects/uploads/none', fileName: 'none', fileSize: 1, messageType: 'image' },
    { fileName: 'report.pdf' },
    { fileSize: 0 },
    { filePath: '' },
    ...['image', 'file', 'audio'].map((messageType) => ({ messageType })),
    // Values that are not even names are refused in the same way.
    ...[null, 7, {}, 'x'.repeat(600)].map((filePath) => ({ filePath })),
    ...[null, 7, 'x'.repeat(600)].map((fileName) => ({ fileName })),
    ...[null, -1, 1.5, 'ten'].map((fileSize) => ({ fileSize })),
  ]
  const line = await one.opensSocket()
  for (const more of named) {
    const draft = { chatRoomId, content: 'look at this', messageType: 'text', ...more }
    const answer = await one.tries(messagesApi.send, draft)
    expect(answer, JSON.stringify(more)).toBeRefused(400)
    expect(answer.body, JSON.stringify(more)).toMatchObject({ error: 'File not found' })
    const id = randomUUID()
    line.says({ type: 'message', data: { ...draft, id } })
    expect((await line.hears('refused')).data, JSON.stringify(more)).toMatchObject({ error: 'File not found', id })
    expect(await eve.tries(messagesApi.send, draft)).toMatchObject({ status: answer.status, body: answer.body })
  }
  expect(await rowsOf(chatRoomId)).toEqual([])
  line.hangsUp()
})

test('a silent message takes its place and is heard; it is no unread one, none of the month, and wakes no closed browser', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await setTier('test', one)
  const woken: string[] = []
  const { push } = world.env
  Object.assign(world.env, { push: { ...push, note: (ids: string[]) => woken.push(...ids) } })
  onTestFinished(() => void Object.assign(world.env, { push }))
  const line = await one.opensSocket()
  const { id } = await one.says(chatRoomId, 'a call', { isSilent: true })
  expect((await line.hears('message')).data).toMatchObject({ id, seq: 1, content: 'a call' })
  line.says({ type: 'message', data: { id: randomUUID(), chatRoomId, content: 'another', messageType: 'text', isSilent: true } })
  await line.hears('message', ({ data }) => data.content === 'another')
  line.hangsUp()
  expect(woken).toEqual([])
  expect(await two.does(notificationsApi.unreadCount, {})).toMatchObject({ count: 0 })
  expect(await one.does(paymentsApi.usage, {})).toMatchObject({ messagesUsed: 0 })
  await one.says(chatRoomId, 'words')
  expect(woken).toContain(two.id)
  expect(await two.does(notificationsApi.unreadCount, {})).toMatchObject({ count: 1 })
})

test('a silent message over 2 KiB counts in the month of its sender, and for nobody as news', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await setTier('test', one)
  const counts = 'select monthly_messages_count as counted, monthly_silent_count as silent from users where id = $1'
  await one.says(chatRoomId, 'é'.repeat(SILENT_LIMITS.bytes / 2), { isSilent: true })
  expect(await world.sql(counts, [one.id])).toEqual([{ counted: 0, silent: 1 }])
  await one.says(chatRoomId, 'é'.repeat(SILENT_LIMITS.bytes / 2 + 1), { isSilent: true })
  expect(await world.sql(counts, [one.id])).toEqual([{ counted: 1, silent: 1 }])
  expect(await two.does(notificationsApi.unreadCount, {})).toMatchObject({ count: 0 })
  await world.sql('update users set monthly_messages_count = 10 where id = $1', [one.id])
  const long = await one.posts(chatRoomId, 'x'.repeat(SILENT_LIMITS.bytes + 1), { isSilent: true })
  expect(long).toBeRefused(403, 'message_limit_reached')
})

test('Eve cannot make silent a file, or what is of a free account or in a request that is open', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const draft = { chatRoomId, content: 'x', messageType: 'text' as const, isSilent: true }
  expect(await one.tries(messagesApi.send, { ...draft, messageType: 'image' })).toBeRefused(400, 'invalid_input')
  await setTier('free', two)
  expect(await two.tries(messagesApi.send, draft)).toBeRefused(403, 'subscription_required')

  const [asking, asked] = [await world.person('asking'), await world.person('asked')]
  const request = (await asking.adds(asked)).chatRoomId
  for (const who of [asking, asked])
    expect(await who.tries(messagesApi.send, { ...draft, chatRoomId: request })).toBeRefused(403, 'not_a_contact')
  const contactId = (await asked.contacts())[0]?.id ?? ''
  await asked.does(contactsApi.decline, { contactId })
  expect(await asking.tries(messagesApi.send, { ...draft, chatRoomId: request })).toBeRefused(403, 'not_a_contact')
  expect(await rowsOf(request)).toEqual([])
})

test('a plan that limits messages has 200 silent ones a month, and 20 for each that it counts; the month ends both', async () => {
  const { one, chatRoomId } = await freshPair()
  await setTier('test', one)
  const says = () => one.posts(chatRoomId, 'a call', { isSilent: true })
  expect(await says()).toMatchObject({ status: 200 })
  await world.sql('update users set monthly_silent_count = $2 where id = $1', [one.id, SILENT_LIMITS.aMonth])
  expect(await says()).toBeRefused(429, 'too_many_requests')
  await one.says(chatRoomId, 'words')
  expect(await says()).toMatchObject({ status: 200 })
  await world.sql('update users set monthly_silent_count = $2 where id = $1', [
    ...[one.id, SILENT_LIMITS.aMonth + SILENT_LIMITS.ofMessage],
  ])
  expect(await says()).toBeRefused(429, 'too_many_requests')
  await world.sql("update users set usage_reset_date = usage_reset_date - interval '1 month' where id = $1", [one.id])
  expect(await says()).toMatchObject({ status: 200 })
  const counts = 'select monthly_messages_count as counted, monthly_silent_count as silent from users where id = $1'
  expect(await world.sql(counts, [one.id])).toEqual([{ counted: 0, silent: 1 }])
  await setTier('premium', one)
  await world.sql('update users set monthly_silent_count = 100000 where id = $1', [one.id])
  expect(await says()).toMatchObject({ status: 200 })
})

test('a file message of before stays readable: in the list, in the log and as the last message', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const { id } = await one.says(chatRoomId, 'a picture')
  const file = { messageType: 'image', filePath: '/objects/uploads/old', fileName: 'old.png', fileSize: 2048 }
  await world.sql(
    'update messages set message_type = $2, file_path = $3, file_name = $4, file_size = $5 where room = (select number from chat_rooms where id = $1)',
    [chatRoomId, ...Object.values(file)],
  )
  expect(await two.does(messagesApi.list, { chatRoomId })).toMatchObject([{ id, content: 'a picture', ...file }])
  expect((await two.does(roomsApi.log, { chatRoomId })).entries).toMatchObject([{ id, ...file }])
  expect(await two.contacts()).toMatchObject([{ lastMessage: { id, messageType: 'image', fileName: 'old.png' } }])
  // Sending its id again returns the stored row.
  expect(await one.says(chatRoomId, 'a picture', { id })).toMatchObject(file)
})

test('a free account is refused, a test plan has ten messages in a UTC month', async () => {
  const { one, chatRoomId } = await freshPair()
  await setTier('test', one)
  const answers = await Promise.all(Array.from({ length: 14 }, (_, at) => one.posts(chatRoomId, `${at}`)))
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10)
  const refused = answers.filter((answer) => answer.status !== 200)
  expect(refused.every((answer) => answer.status === 403 && answer.code === 'message_limit_reached')).toBe(true)
  expect(refused[0]?.body).toMatchObject({ error: expect.stringContaining('Message limit reached message: ') })
  // Moves those ten messages to the last month.
  await world.sql("update users set usage_reset_date = usage_reset_date - interval '1 month' where id = $1", [one.id])
  await one.says(chatRoomId, 'a new month')
  const rows = await world.sql('select monthly_messages_count from users where id = $1', [one.id])
  expect(rows).toEqual([{ monthly_messages_count: 1 }])
})

test('the ten messages of a test plan are ten over all rooms, even when they are sent at once', async () => {
  const one = await world.person('one', 'test')
  const rooms = await Promise.all(['ann', 'ben', 'cat', 'dan'].map(async (name) => one.talksTo(await world.person(name))))
  const answers = await Promise.all(rooms.flatMap((each) => Array.from({ length: 5 }, () => one.posts(each, 'x'))))
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10)
})

test('messages of one statement are judged one by one, and answered in their order', async () => {
  const [plain, known, free, stale, gone] = [
    await freshPair(),
    await freshPair(),
    await freshPair(),
    await freshPair(),
    await freshPair(),
  ]
  const { id } = await known.one.says(known.chatRoomId, 'known')
  await setTier('free', free.one)
  await world.sql('delete from sessions where user_id = $1', [gone.one.id])
  const messages = [
    newMessage(plain.chatRoomId, plain.one),
    newMessage(gone.chatRoomId, gone.one),
    newMessage(known.chatRoomId, known.one, { id }),
    newMessage(free.chatRoomId, free.one),
    newMessage(stale.chatRoomId, stale.one, { sealedFor: { groupId: 'x', epoch: 1 } }),
    newMessage(room, eve),
  ]
  const results = await appendMessages(world.pool, messages, new Date())
  expect(results.map(({ verdict, seq }) => [verdict, seq])).toEqual([
    ['stored', 1],
    ['not_signed_in', null],
    ['known', 1],
    ['subscription_required', null],
    ['stale_epoch', null],
    ['not_found', null],
  ])
  const rooms = [plain, known, free, stale, gone].map((pair) => pair.chatRoomId)
  const rows = await world.sql(
    'select r.id as room, m.seq::int from messages m join chat_rooms r on r.number = m.room where r.id = any($1)',
    [rooms],
  )
  expect(new Set(rows.map(({ room, seq }) => `${room} ${seq}`))).toEqual(
    new Set([`${plain.chatRoomId} 1`, `${known.chatRoomId} 1`]),
  )
})

test('a sealed message for another epoch is refused, and says where the room is', async () => {
  const { one, chatRoomId } = await freshPair()
  const groupId = randomBytes(48).toString('base64')
  const some = randomBytes(60).toString('base64')
  await world.sql('update chat_rooms set generation = 1, group_id = $2, epoch = 3 where id = $1', [chatRoomId, groupId])
  const sealed = (epoch: number, group = groupId) =>
    writeEnvelope({ v: 1, groupId: group, epoch, mls: some, archive: some, body: some })
  for (const content of [sealed(2), sealed(4), sealed(3, randomBytes(48).toString('base64'))]) {
    const answer = await one.posts(chatRoomId, content)
    expect(answer).toMatchObject({
      status: 409,
      code: 'stale_epoch',
      body: { details: { generation: 1, groupId, epoch: 3, lastSeq: 0 } },
    })
  }
  expect(await one.says(chatRoomId, sealed(3))).toMatchObject({ seq: 1, isEncrypted: true })
})

test('Eve posts a sealed message of another version, or a damaged one: refused by name, never kept as plain text', async () => {
  const { one, chatRoomId } = await freshPair()
  for (const content of ['{"v":2,"text":"x"}', '{"v":99}', '{"v":0,"a":1}', '{"v":1,"groupId":"AAAA"}', '{"v":1,'])
    expect(await one.posts(chatRoomId, content)).toBeRefused(400, 'unknown_envelope')
  expect(await rowsOf(chatRoomId)).toEqual([])
  for (const content of ['{"v":"2"}', '{ "v":2 }', '{"version":2}', 'v:2'])
    expect(await one.says(chatRoomId, content)).toMatchObject({ content, isEncrypted: false })
})

test('no message of an old epoch gets in beside a commit', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const groupId = randomBytes(48).toString('base64')
  const some = randomBytes(60).toString('base64')
  const manifestVersions = firstManifests(chatRoomId)
  const commit = {
    chatRoomId,
    groupId,
    commit: some,
    groupInfo: some,
    archiveKeys: [],
    manifestVersions,
    afterSeq: 0,
    generation: 1,
  }
  await one.does(roomsApi.commit, { ...commit, epoch: 0 })
  for (let epoch = 1; epoch <= 8; epoch++) {
    const content = writeEnvelope({ v: 1, groupId, epoch, mls: some, archive: some, body: some })
    await Promise.all([
      ...Array.from({ length: 4 }, () => two.posts(chatRoomId, content)),
      one.does(roomsApi.commit, { ...commit, commit: randomBytes(60).toString('base64'), epoch }),
      ...Array.from({ length: 4 }, () => two.posts(chatRoomId, content)),
    ])
  }
  const { entries, lastSeq } = await one.does(roomsApi.log, { chatRoomId })
  expect(entries.map((entry) => entry.seq)).toEqual(Array.from({ length: lastSeq }, (_, at) => at + 1))
  let current = 0
  for (const entry of entries) {
    if (entry.kind === 'commit') current = entry.epoch + 1
    else if (entry.kind === 'message') expect(JSON.parse(entry.content).epoch).toBe(current)
  }
})

test('pages go both ways, oldest first', async () => {
  const { one, two, chatRoomId } = await freshPair()
  for (let at = 1; at <= 12; at++) await one.says(chatRoomId, `${at}`)
  const seqs = async (page: { before?: number; after?: number; limit: number }) =>
    (await two.does(messagesApi.list, { chatRoomId, ...page })).map((message) => message.seq)
  expect(await seqs({ limit: 5 })).toEqual([8, 9, 10, 11, 12])
  expect(await seqs({ before: 8, limit: 5 })).toEqual([3, 4, 5, 6, 7])
  expect(await seqs({ after: 3, limit: 5 })).toEqual([4, 5, 6, 7, 8])
  expect(await seqs({ after: 10, before: 12, limit: 5 })).toEqual([11])
})

test('ticks follow the marks, which only go up and never past the log', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const line = await one.opensSocket()
  for (const text of ['a', 'b', 'c']) await one.says(chatRoomId, text)
  const statuses = async () => (await one.does(messagesApi.list, { chatRoomId })).map((message) => message.deliveryStatus)
  expect(await two.does(notificationsApi.unreadCount, {})).toEqual({ count: 3 })
  await two.does(messagesApi.markDelivered, { chatRoomId, seq: 2 })
  expect(await statuses()).toEqual(['delivered', 'delivered', 'sent'])
  await two.does(messagesApi.markRead, { chatRoomId, seq: 1 })
  expect(await statuses()).toEqual(['read', 'delivered', 'sent'])
  expect((await line.hears('receipt', (each) => each.data.readSeq === 1)).data).toEqual({
    chatRoomId,
    userId: two.id,
    deliveredSeq: 2,
    readSeq: 1,
  })
  expect(await two.does(notificationsApi.unreadCount, {})).toEqual({ count: 2 })
  await two.does(messagesApi.markRead, { chatRoomId })
  await two.does(messagesApi.markRead, { chatRoomId, seq: 1 })
  await two.does(messagesApi.markDelivered, { chatRoomId, seq: 900 })
  expect(await statuses()).toEqual(['read', 'read', 'read'])
  const [row] = await two.contacts()
  expect(row).toMatchObject({ readSeq: 3, unreadCount: 0, hasUnreadNotifications: false })
  line.hangsUp()
})

test('no mark goes back, and none goes past the log: what comes afterwards is sent, not delivered or read', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const statuses = async () => (await one.does(messagesApi.list, { chatRoomId })).map((message) => message.deliveryStatus)
  for (const text of ['a', 'b', 'c']) await one.says(chatRoomId, text)
  for (const seq of [2, 1]) await two.does(messagesApi.markDelivered, { chatRoomId, seq })
  expect(await statuses()).toEqual(['delivered', 'delivered', 'sent'])
  await two.does(messagesApi.markDelivered, { chatRoomId, seq: 900 })
  await one.says(chatRoomId, 'd')
  expect(await statuses()).toEqual(['delivered', 'delivered', 'delivered', 'sent'])
  await two.does(messagesApi.markRead, { chatRoomId, seq: 900 })
  await one.says(chatRoomId, 'e')
  expect(await statuses()).toEqual(['read', 'read', 'read', 'read', 'sent'])
  expect(await two.contacts()).toMatchObject([{ readSeq: 4, unreadCount: 1 }])
})

test('reading past what somebody has said themselves takes off the unread count what the other one said, and no more', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await one.says(chatRoomId, 'have you time?')
  await two.says(chatRoomId, 'I have not read yours')
  await one.says(chatRoomId, 'well, have you?')
  expect(await two.contacts()).toMatchObject([{ readSeq: 0, unreadCount: 2 }])
  await two.does(messagesApi.markRead, { chatRoomId, seq: 2 })
  expect(await two.contacts()).toMatchObject([{ readSeq: 2, unreadCount: 1 }])
})

test('the unread count is exact while messages and marks race', async () => {
  const { one, two, chatRoomId } = await freshPair()
  for (let round = 0; round < 6; round++) {
    await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        at % 3 === 2 ? two.does(messagesApi.markRead, { chatRoomId }) : one.says(chatRoomId, 'x'),
      ),
    )
  }
  await two.says(chatRoomId, 'an answer')
  const rows = await world.sql(
    `select unread_count::int as count, (select count(*)::int from messages m
       where m.room = (select number from chat_rooms r where r.id = p.chat_room_id) and m.seq > p.read_seq and m.sender_id <> p.user_id) as real
     from chat_participants p where chat_room_id = $1`,
    [chatRoomId],
  )
  expect(rows).toHaveLength(2)
  for (const row of rows) expect(row.count).toBe(row.real)
})

test('answering accepts: the first word of the one who was asked makes both contacts', async () => {
  const carol = await world.person('carol')
  const { chatRoomId } = await carol.adds(bob)
  const line = await carol.opensSocket()
  await bob.says(chatRoomId, 'who are you?')
  expect((await line.hears('contacts')).data.userIds?.sort()).toEqual([bob.id, carol.id].sort())
  expect((await bob.contacts()).find((row) => row.chatRoomId === chatRoomId)?.state).toBe('accepted')
  line.hangsUp()
})

test('the socket sends through the same door: stored once, refused by name with the id', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const [mine, theirs] = await Promise.all([one.opensSocket(), two.opensSocket()])
  const draft = { id: randomUUID(), chatRoomId, content: 'by socket', messageType: 'text' }
  mine.says({ type: 'message', data: draft })
  expect((await mine.hears('message')).data).toEqual((await theirs.hears('message')).data)
  mine.says({ type: 'message', data: draft })
  await expect.poll(() => mine.frames.filter((frame) => frame.type === 'message')).toHaveLength(2)
  expect(theirs.frames.filter((frame) => frame.type === 'message')).toHaveLength(1)
  await setTier('free', one)
  const late = { ...draft, id: randomUUID() }
  mine.says({ type: 'message', data: late })
  expect((await mine.hears('refused')).data).toMatchObject({ code: 'subscription_required', id: late.id })
  expect(await rowsOf(chatRoomId)).toHaveLength(1)
  mine.hangsUp()
  theirs.hangsUp()
})

test('typing reaches the other one only where both accepted', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const asked = await eve.adds(two)
  const [mine, theirs, hers] = await Promise.all([one.opensSocket(), two.opensSocket(), eve.opensSocket()])
  hers.says({ type: 'typing', data: { chatRoomId: asked.chatRoomId, isTyping: true } })
  hers.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
  expect((await hers.hears('refused')).data.code).toBe('not_found')
  mine.says({ type: 'typing', data: { chatRoomId, isTyping: true } })
  expect((await theirs.hears('typing')).data).toEqual({ chatRoomId, userId: one.id, isTyping: true })
  expect(theirs.frames.filter((frame) => frame.type === 'typing')).toHaveLength(1)
  for (const line of [mine, theirs, hers]) line.hangsUp()
})

test('Eve fills a room with the longest messages: no page of it is longer than fifty of them, and fifty are never cut', async () => {
  const [alice, eve] = [await world.person('alice'), await world.person('eve')]
  const chatRoomId = await alice.talksTo(eve)
  await world.sql(
    `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
     select (select number from chat_rooms where id = $1), seq, gen_random_uuid(), $2, repeat('m', 65536), 'text', false, now() from generate_series(1, 90) seq`,
    [chatRoomId, eve.id],
  )
  await world.sql('update chat_rooms set last_seq = 90, last_message_seq = 90, last_message_at = now() where id = $1', [
    chatRoomId,
  ])
  const seqs = async (page: { before?: number; after?: number; limit?: number }) =>
    (await alice.does(messagesApi.list, { chatRoomId, ...page })).map(({ seq }) => seq)
  const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at)
  expect(await seqs({})).toEqual(from(41, 50))
  expect(await seqs({ limit: 100 })).toEqual(from(41, 50))
  expect(await seqs({ after: 0, limit: 100 })).toEqual(from(1, 50))
  expect(await seqs({ before: 41, limit: 100 })).toEqual(from(1, 40))
  const [row] = await alice.contacts()
  expect(row?.lastMessage?.content).toBe('m'.repeat(512))
})
