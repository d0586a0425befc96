import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { keyPackagesApi } from '../../../contract/account/keypackages.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { type CommitDraft, roomsApi } from '../../../contract/chat/rooms.ts'
import { newBrowser } from '../../testing/browser.ts'
import { creation, following, random } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

async function pair() {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  return { alice, bob, chatRoomId: await alice.talksTo(bob) }
}

test('a group is created once and moves on by commits; a joiner finds the current one', async () => {
  const { alice, bob, chatRoomId } = await pair()
  expect(await bob.does(roomsApi.group, { chatRoomId })).toEqual({
    ...{ chatRoomId, generation: 0, groupId: null, epoch: 0, lastSeq: 0, groupInfo: null, welcome: null },
  })
  const line = await bob.opensSocket()
  const first = creation(chatRoomId)
  expect(await alice.does(roomsApi.commit, first)).toEqual({ seq: 1 })
  expect((await line.hears('commit')).data).toMatchObject({ seq: 1, senderId: alice.id, epoch: 0, commit: first.commit })
  await alice.says(chatRoomId, 'between')
  const second = following(first)
  expect(await bob.does(roomsApi.commit, second)).toEqual({ seq: 3 })
  expect(await alice.does(roomsApi.group, { chatRoomId })).toMatchObject({
    ...{ generation: 1, groupId: first.groupId, epoch: 2, lastSeq: 3, groupInfo: second.groupInfo },
    welcome: { seq: 1, epoch: 1, welcome: first.welcome },
  })
  const { entries } = await alice.does(roomsApi.log, { chatRoomId })
  expect(entries.map((entry) => [entry.seq, entry.kind])).toEqual([
    [1, 'commit'],
    [2, 'message'],
    [3, 'commit'],
  ])
  const restarted = creation(chatRoomId, 2)
  delete restarted.welcome
  await bob.does(roomsApi.commit, restarted)
  expect(await alice.does(roomsApi.group, { chatRoomId })).toMatchObject({
    generation: 2,
    groupId: restarted.groupId,
    epoch: 1,
    welcome: null,
  })
  line.hangsUp()
})

test('of two commits of one epoch one wins; the loser gets what it missed, and the same bytes again get their place', async () => {
  const { alice, bob, chatRoomId } = await pair()
  for (const draft of [() => creation(chatRoomId), undefined]) {
    const base = draft ? undefined : await alice.does(roomsApi.group, { chatRoomId })
    const make = (): CommitDraft =>
      draft
        ? draft()
        : {
            ...following(creation(chatRoomId)),
            groupId: base?.groupId ?? '',
            epoch: base?.epoch ?? 0,
            afterSeq: base?.lastSeq ?? 0,
          }
    const drafts = Array.from({ length: 8 }, make)
    const people = drafts.map((_, at) => (at % 2 ? alice : bob))
    const answers = await Promise.all(drafts.map((each, at) => (people[at] ?? alice).tries(roomsApi.commit, each)))
    const winner = answers.findIndex((answer) => answer.status === 200)
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    const lost = answers.filter((answer) => answer.status !== 200)
    for (const answer of lost) {
      expect(answer).toBeRefused(409, 'stale_epoch')
      const missed = [{ kind: 'commit', commit: drafts[winner]?.commit }]
      expect(answer.body).toMatchObject({ details: { log: { entries: missed, lastSeq: expect.any(Number) } } })
    }
    expect(await (people[winner] ?? alice).tries(roomsApi.commit, { ...drafts[winner] })).toMatchObject(answers[winner] ?? {})
  }
  expect((await alice.does(roomsApi.group, { chatRoomId })).lastSeq).toBe(2)
})

test('a commit for another generation, group or epoch is stale', async () => {
  const { alice, chatRoomId } = await pair()
  const first = creation(chatRoomId)
  expect(await alice.tries(roomsApi.commit, { ...first, generation: 2 })).toBeRefused(409, 'stale_epoch')
  expect(await alice.tries(roomsApi.commit, { ...first, epoch: 1 })).toBeRefused(409, 'stale_epoch')
  await alice.does(roomsApi.commit, first)
  const next = following(first)
  for (const wrong of [
    { epoch: 2 },
    { groupId: random(48) },
    { generation: 2 },
    { generation: 3, epoch: 0 },
    { generation: 2, epoch: 0 },
  ]) {
    expect(await alice.tries(roomsApi.commit, { ...next, ...wrong }), JSON.stringify(wrong)).toBeRefused(409, 'stale_epoch')
  }
  expect((await alice.does(roomsApi.group, { chatRoomId })).lastSeq).toBe(1)
})

test('archive keys go to members, for the epoch that the commit starts; each reads only their own', async () => {
  const { alice, bob, chatRoomId } = await pair()
  const first = creation(chatRoomId)
  const key = (userId: string, epoch = 1) => ({ userId, groupId: first.groupId, epoch, historyKeyId: 1, sealed: random() })
  for (const wrong of [key(randomUUID()), key(alice.id, 2), { ...key(alice.id), groupId: random(48) }]) {
    expect(await alice.tries(roomsApi.commit, { ...first, archiveKeys: [wrong] })).toBeRefused(400, 'invalid_input')
  }
  const hers = key(alice.id)
  await alice.does(roomsApi.commit, { ...first, archiveKeys: [hers] })
  const read = async (person: Person) =>
    (await person.does(roomsApi.archiveKeys, { chatRoomId, groupId: first.groupId, epochs: '0,1,2' })).keys
  expect(await read(alice)).toEqual([hers])
  expect(await read(bob)).toEqual([])
  expect(await bob.tries(roomsApi.addArchiveKeys, { chatRoomId, keys: [key(alice.id)] })).toBeRefused(400, 'invalid_input')
  expect(await bob.tries(roomsApi.addArchiveKeys, { chatRoomId, keys: [key(bob.id, 9)] })).toBeRefused(400, 'invalid_input')
  // The first key that he stored stays; storing the same epoch twice is harmless.
  const his = key(bob.id)
  await bob.does(roomsApi.addArchiveKeys, { chatRoomId, keys: [his] })
  await bob.does(roomsApi.addArchiveKeys, { chatRoomId, keys: [key(bob.id), his] })
  expect(await read(bob)).toEqual([his])
  expect(await read(alice)).toEqual([hers])
})

test('a wrong GroupInfo is replaced for the current epoch only', async () => {
  const { alice, bob, chatRoomId } = await pair()
  const first = creation(chatRoomId)
  await alice.does(roomsApi.commit, first)
  const right = { chatRoomId, groupId: first.groupId, epoch: 1, groupInfo: random() }
  await bob.does(roomsApi.replaceGroupInfo, right)
  expect((await alice.does(roomsApi.group, { chatRoomId })).groupInfo).toBe(right.groupInfo)
  expect(await bob.tries(roomsApi.replaceGroupInfo, { ...right, epoch: 0 })).toBeRefused(409, 'stale_epoch')
})

test('key packages: one of every other device, the same again, one-time ones once, then the last resort', async () => {
  const { alice, bob, chatRoomId } = await pair()
  const { deviceId } = await bob.addsBrowser()
  const claim = async (person: Person) => (await person.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })).packages
  const both = await Promise.all([claim(alice), claim(alice), claim(alice)])
  expect(both[0]?.map((each) => each.deviceId).sort()).toEqual([bob.deviceId, deviceId].sort())
  expect(both[1]).toEqual(both[0])
  expect(both[2]).toEqual(both[0])
  expect(await bob.does(keyPackagesApi.left, {})).toEqual({ oneTime: 2, hasLastResort: true })
  expect((await claim(bob)).map((each) => each.deviceId).sort()).toEqual([alice.deviceId, deviceId].sort())

  const others = await Promise.all(Array.from({ length: 4 }, () => world.person('other')))
  const given: string[] = []
  for (const other of others) {
    const room = await other.talksTo(bob)
    const { packages } = await other.does(roomsApi.claimKeyPackages, { chatRoomId: room, generation: 1 })
    given.push(...packages.filter((each) => each.deviceId === bob.deviceId).map((each) => each.keyPackage))
  }
  // Of three one-time packages Alice has claimed one. Two more are claimed, then everyone gets the last resort.
  expect(new Set(given).size).toBe(3)
  expect(given[2]).toBe(given[3])
  expect(await bob.does(keyPackagesApi.left, {})).toEqual({ oneTime: 0, hasLastResort: true })
  expect(await alice.tries(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })).toBeRefused(409, 'stale_epoch')
})

test('someone without a device has no key package, and a session without a device claims none', async () => {
  const alice = await world.person('alice')
  const bare = newBrowser(world.url)
  const username = `bare_${randomBytes(4).toString('hex')}`
  const form = { username, displayName: 'Bare', password: 'hunter22', confirmPassword: 'hunter22' }
  await bare.does(accountApi.register, form)
  const { chatRoomId } = await alice.does(contactsApi.add, { username })
  expect(await alice.does(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })).toEqual({ packages: [] })
  expect(await bare.tries(roomsApi.claimKeyPackages, { chatRoomId, generation: 1 })).toBeRefused(403, 'device_required')
})

test('Eve, who is not in the room, is told that there is none, by every call', async () => {
  const { alice, chatRoomId } = await pair()
  const eve = await world.person('eve')
  const first = creation(chatRoomId)
  await alice.does(roomsApi.commit, first)
  const { groupId } = first
  const keys = [{ userId: eve.id, groupId, epoch: 1, historyKeyId: 1, sealed: random() }]
  for (const room of [chatRoomId, `dm_${randomUUID()}_${randomUUID()}`]) {
    const answers = await Promise.all([
      eve.tries(roomsApi.group, { chatRoomId: room }),
      eve.tries(roomsApi.log, { chatRoomId: room }),
      eve.tries(roomsApi.commit, { ...following(first), chatRoomId: room }),
      eve.tries(roomsApi.claimKeyPackages, { chatRoomId: room, generation: 2 }),
      eve.tries(roomsApi.archiveKeys, { chatRoomId: room, groupId, epochs: '1' }),
      eve.tries(roomsApi.addArchiveKeys, { chatRoomId: room, keys }),
      eve.tries(roomsApi.replaceGroupInfo, { chatRoomId: room, groupId, epoch: 1, groupInfo: random() }),
    ])
    for (const answer of answers) expect(answer).toBeRefused(404, 'not_found')
  }
  expect((await alice.does(roomsApi.group, { chatRoomId })).lastSeq).toBe(1)
})

test('the log comes in pages, in order, without a gap', async () => {
  const { alice, bob, chatRoomId } = await pair()
  let draft = creation(chatRoomId)
  await alice.does(roomsApi.commit, draft)
  for (let at = 0; at < 9; at++) {
    await bob.says(chatRoomId, `${at}`)
    if (at % 3 === 0) {
      draft = following(draft)
      await alice.does(roomsApi.commit, draft)
    }
  }
  const seqs: number[] = []
  for (let after = 0; ; after = seqs.at(-1) ?? 0) {
    const page = await alice.does(roomsApi.log, { chatRoomId, after, limit: 4 })
    if (page.entries.length === 0) break
    seqs.push(...page.entries.map((entry) => entry.seq))
  }
  expect(seqs).toEqual(Array.from({ length: 13 }, (_, at) => at + 1))
})

test('Eve fills a room with the longest messages and commits: a page of it ends early, and the pages after it miss nothing', async () => {
  const { alice, bob, chatRoomId } = await pair()
  const [count, groupId] = [120, random(48)]
  await world.sql(
    `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
     select (select number from chat_rooms where id = $1), seq, gen_random_uuid(), $2, repeat('m', 65536), 'text', false, now() from generate_series(1, $3::int, 2) seq`,
    [chatRoomId, alice.id, count],
  )
  await world.sql(
    `insert into room_commits (room, seq, sender_id, generation, group_id, epoch, commit, created_at)
     select (select number from chat_rooms where id = $1), seq, $2, 1, $4, seq, repeat('c', case when seq < 60 then 1000 else 87384 end), now()
     from generate_series(2, $3::int, 2) seq`,
    [chatRoomId, alice.id, count, groupId],
  )
  await world.sql('update chat_rooms set last_seq = $2, generation = 1, group_id = $3, epoch = 1 where id = $1', [
    chatRoomId,
    count,
    groupId,
  ])
  const seqs: number[] = []
  for (let pages = 0; seqs.length < count && pages < count; pages++) {
    const { body } = await bob.tries(roomsApi.log, { chatRoomId, after: seqs.at(-1) ?? 0 })
    expect(JSON.stringify(body).length).toBeLessThan(3 * 1024 * 1024)
    seqs.push(...roomsApi.log.output.parse(body).entries.map(({ seq }) => seq))
  }
  expect(seqs).toEqual(Array.from({ length: count }, (_, at) => at + 1))
  const stale = await bob.tries(roomsApi.commit, creation(chatRoomId, 99))
  expect(stale).toBeRefused(409, 'stale_epoch')
  expect(JSON.stringify(stale.body).length).toBeLessThan(3 * 1024 * 1024)
})
