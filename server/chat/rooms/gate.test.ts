import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { type ArchiveKey, type CommitDraft, roomsApi } from '../../../contract/chat/rooms.ts'
import type { Answer } from '../../testing/browser.ts'
import { creation, following, random, sealed } from '../../testing/group.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

/** Makes two people and the group of their room, which the first one created. */
async function inGroup() {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  const chatRoomId = await alice.talksTo(bob)
  const first = creation(chatRoomId)
  await alice.does(roomsApi.commit, first)
  return { alice, bob, chatRoomId, first, groupId: first.groupId }
}

const knowing = (draft: CommitDraft, ...people: Person[]): CommitDraft => ({
  ...draft,
  manifestVersions: Object.fromEntries(people.map(({ id, identity }) => [id, identity.manifest.version])),
})
const detailsOf = (answer: Answer): unknown =>
  typeof answer.body === 'object' && answer.body && 'details' in answer.body ? answer.body.details : undefined
const logOf = async (person: Person, chatRoomId: string) => (await person.does(roomsApi.log, { chatRoomId })).entries
const archiveKey = (person: Person, { groupId, epoch }: CommitDraft, historyKeyId: number): ArchiveKey => ({
  ...{ userId: person.id, groupId, epoch: epoch + 1, historyKeyId, sealed: random() },
})
const keptOf = async (person: Person, { chatRoomId, groupId }: CommitDraft) =>
  (await person.does(roomsApi.archiveKeys, { chatRoomId, groupId, epochs: '1,2,3,4' })).keys

test('whoever commits without the newest manifests is told their versions, and nothing is stored', async () => {
  const { alice, bob, chatRoomId, first } = await inGroup()
  await bob.addsBrowser()
  const next = following(first)
  const { manifestVersions } = knowing(next, alice, bob)
  expect(manifestVersions).toEqual({ [alice.id]: 1, [bob.id]: 2 })
  const unaware = [{}, { [bob.id]: 2 }, { [alice.id]: 1, [bob.id]: 1 }, { [alice.id]: 1, [randomUUID()]: 9 }]
  for (const known of unaware) {
    const answer = await alice.tries(roomsApi.commit, { ...next, manifestVersions: known })
    expect(answer, JSON.stringify(known)).toBeRefused(409, 'stale_manifest')
    expect(detailsOf(answer)).toEqual({ manifestVersions })
  }
  expect(await logOf(alice, chatRoomId)).toHaveLength(1)
  expect(await alice.does(roomsApi.commit, { ...next, manifestVersions })).toEqual({ seq: 2 })
  // A commit that the log already holds returns its seq, even if its device was removed since.
  expect(await alice.does(roomsApi.commit, first)).toEqual({ seq: 1 })
  // A person who knows a newer version than the server is not behind.
  const ahead = { ...manifestVersions, [bob.id]: 7 }
  await bob.does(roomsApi.commit, { ...following(next), manifestVersions: ahead })
})

test('a room whose group has moved on says so first: what was missed may bring the manifest', async () => {
  const { alice, bob, first } = await inGroup()
  await bob.addsBrowser()
  expect(await alice.tries(roomsApi.commit, { ...following(following(first)) })).toBeRefused(409, 'stale_epoch')
})

test('nobody needs a manifest of someone who has no keys', async () => {
  const alice = await world.person('alice')
  const bare = world.stranger()
  const form = { username: 'bare', displayName: 'Bare', password: 'hunter22', confirmPassword: 'hunter22' }
  await bare.does(accountApi.register, form)
  const { chatRoomId } = await alice.does(contactsApi.add, { username: 'bare' })
  const draft = { ...creation(chatRoomId), manifestVersions: {} }
  const answer = await alice.tries(roomsApi.commit, draft)
  expect(answer).toBeRefused(409, 'stale_manifest')
  expect(detailsOf(answer)).toEqual({ manifestVersions: { [alice.id]: 1 } })
  await alice.does(roomsApi.commit, knowing(draft, alice))
})

test('after a device was removed nothing is sealed until a commit by someone who knows', async () => {
  const { alice, bob, chatRoomId, first, groupId } = await inGroup()
  const elsewhere = await world.person('carol').then((carol) => alice.talksTo(carol))
  const laptop = await bob.addsBrowser()
  const known = await alice.says(chatRoomId, sealed(groupId, 1))
  await bob.changesKeys({ removes: [laptop.deviceId] })
  const manifestVersions = { [alice.id]: 1, [bob.id]: 3 }

  const refused = await alice.posts(chatRoomId, sealed(groupId, 1))
  expect(refused).toBeRefused(409, 'stale_epoch')
  expect(detailsOf(refused)).toEqual({ generation: 1, groupId, epoch: 1, lastSeq: 2, needsCommit: true, manifestVersions })
  expect(await bob.posts(chatRoomId, sealed(groupId, 1))).toBeRefused(409, 'stale_epoch')
  // A stored message that is sent again returns its row. Plain text has no epoch. Other rooms are unchanged.
  expect(await alice.says(chatRoomId, 'again', { id: known.id })).toEqual(known)
  await alice.says(chatRoomId, 'a program speaks')
  await alice.says(elsewhere, 'hello')

  const next = following(first)
  expect(await alice.tries(roomsApi.commit, next)).toBeRefused(409, 'stale_manifest')
  expect(await alice.posts(chatRoomId, sealed(groupId, 1))).toBeRefused(409, 'stale_epoch')
  await alice.does(roomsApi.commit, { ...next, manifestVersions })
  expect(await alice.says(chatRoomId, sealed(groupId, 2))).toMatchObject({ isEncrypted: true })
  const late = await bob.posts(chatRoomId, sealed(groupId, 1))
  expect(detailsOf(late)).toMatchObject({ epoch: 2, needsCommit: false, manifestVersions })
})

test('every room of the account waits, and a new generation ends the wait too', async () => {
  const { bob, chatRoomId, first } = await inGroup()
  const carol = await world.person('carol')
  const other = await bob.talksTo(carol)
  const laptop = await bob.addsBrowser()
  await bob.changesKeys({ removes: [laptop.deviceId] })
  const waiting = async () =>
    (await world.sql('select id from chat_rooms where needs_commit and id = any($1)', [[chatRoomId, other]])).map(
      (row) => row['id'],
    )
  expect((await waiting()).sort()).toEqual([chatRoomId, other].sort())
  await bob.does(roomsApi.commit, knowing(creation(other), bob, carol))
  expect(await waiting()).toEqual([chatRoomId])
  const again = { ...creation(chatRoomId, 2), manifestVersions: { ...first.manifestVersions, [bob.id]: 3 } }
  await bob.does(roomsApi.commit, again)
  expect(await waiting()).toEqual([])
})

test('an archive key for a history key that was replaced is refused, whoever brings it', async () => {
  const { alice, bob, chatRoomId, first } = await inGroup()
  const laptop = await bob.addsBrowser()
  await bob.changesKeys({ removes: [laptop.deviceId] })
  const next = knowing(following(first), alice, bob)
  const old = { ...next, archiveKeys: [archiveKey(alice, next, 1), archiveKey(bob, next, 1)] }
  const answer = await alice.tries(roomsApi.commit, old)
  expect(answer).toBeRefused(409, 'stale_manifest')
  expect(detailsOf(answer)).toEqual({ manifestVersions: { [alice.id]: 1, [bob.id]: 3 } })
  expect(await logOf(alice, chatRoomId)).toHaveLength(1)
  const right = { ...next, archiveKeys: [archiveKey(alice, next, 1), archiveKey(bob, next, 2)] }
  await alice.does(roomsApi.commit, right)
  expect(await keptOf(bob, next)).toEqual([right.archiveKeys[1]])
  const adds = (historyKeyId: number) =>
    bob.tries(roomsApi.addArchiveKeys, { chatRoomId, keys: [archiveKey(bob, next, historyKeyId)] })
  expect(await adds(1)).toBeRefused(400, 'invalid_input')
  expect(await keptOf(bob, next)).toEqual([right.archiveKeys[1]])
  expect(await adds(2)).toMatchObject({ status: 200 })
})

test("Eve has a session of Bob's: what stands there to read his past by stays, whatever she puts beside it", async () => {
  const { alice, bob, chatRoomId, first } = await inGroup()
  const next = knowing(following(first), alice, bob)
  const key = (historyKeyId = 1): ArchiveKey => ({ ...archiveKey(bob, next, historyKeyId), sealed: random() })
  const [committers, his, hers] = [key(), key(), key()]
  await alice.does(roomsApi.commit, { ...next, archiveKeys: [committers] })
  await bob.does(roomsApi.addArchiveKeys, { chatRoomId, keys: [his] })
  const eve = await bob.addsBrowser()
  await eve.does(roomsApi.addArchiveKeys, { chatRoomId, keys: [hers, key()] })
  expect(await keptOf(bob, next)).toEqual([committers, his])
  // With history keys that do not exist she could fill the table.
  for (const historyKeyId of [2, 2_147_483_647])
    expect(await eve.tries(roomsApi.addArchiveKeys, { chatRoomId, keys: [key(historyKeyId)] })).toBeRefused(400, 'invalid_input')
  // Under a new history key each slot is free again.
  await bob.changesKeys({ removes: [eve.deviceId] })
  const renewed = key(2)
  await bob.does(roomsApi.addArchiveKeys, { chatRoomId, keys: [renewed] })
  await bob.does(roomsApi.addArchiveKeys, { chatRoomId, keys: [key(2)] })
  expect(await keptOf(bob, next)).toEqual([committers, renewed, his])
})

test('a committer seals one key to each member, and none under a history key that does not exist', async () => {
  const { alice, bob, first } = await inGroup()
  const next = knowing(following(first), alice, bob)
  const invented = [{ ...archiveKey(bob, next, 7), sealed: random() }]
  expect(await alice.tries(roomsApi.commit, { ...next, archiveKeys: invented })).toBeRefused(409, 'stale_manifest')
  const two = [1, 1].map((historyKeyId) => ({ ...archiveKey(bob, next, historyKeyId), sealed: random() }))
  await alice.does(roomsApi.commit, { ...next, archiveKeys: two })
  expect(await keptOf(bob, next)).toEqual([two[1]])
})

test('of an account that keeps no history no archive key is stored, and the others are', async () => {
  const { alice, bob, chatRoomId, first } = await inGroup()
  await bob.changesKeys({ keepsHistory: false })
  const next = knowing(following(first), alice, bob)
  const archiveKeys = [archiveKey(alice, next, 1), archiveKey(bob, next, 2)]
  await alice.does(roomsApi.commit, { ...next, archiveKeys })
  expect(await keptOf(alice, next)).toEqual([archiveKeys[0]])
  expect(await bob.does(roomsApi.addArchiveKeys, { chatRoomId, keys: [archiveKey(bob, next, 2)] })).toEqual({})
  expect(await world.sql('select from archive_keys where user_id = $1', [bob.id])).toEqual([])
  // With the history on again, keys are stored from here on.
  await bob.changesKeys({ keepsHistory: true })
  await bob.does(roomsApi.addArchiveKeys, { chatRoomId, keys: [archiveKey(bob, next, 3)] })
  expect(await keptOf(bob, next)).toHaveLength(1)
})

test('no archive key slips in while the history is switched off', async () => {
  const { alice, bob, chatRoomId, first } = await inGroup()
  let draft = first
  for (let round = 0; round < 4; round++) {
    const { historyKeyId } = bob.identity.manifest
    const next = knowing(following(draft), alice, bob)
    const key = archiveKey(bob, draft, historyKeyId + 1)
    const adding = Array.from({ length: 6 }, () => bob.tries(roomsApi.addArchiveKeys, { chatRoomId, keys: [key] }))
    const committing = alice.tries(roomsApi.commit, { ...next, archiveKeys: [archiveKey(bob, next, historyKeyId + 1)] })
    await Promise.all([...adding, committing, bob.changesKeys({ keepsHistory: false })])
    expect(await world.sql('select from archive_keys where user_id = $1', [bob.id])).toEqual([])
    if ((await committing).status === 200) draft = next
    await bob.changesKeys({ keepsHistory: true })
  }
})

test('messages, commits and removals at once: no deadlock, and nothing is sealed behind a removal before a commit that knows of it', async () => {
  const [dora, ...people] = await Promise.all(['dora', 'dan', 'dan', 'dan', 'dan'].map((name) => world.person(name)))
  if (!dora) throw new Error('Nobody is there')
  const rooms = new Map<Person, CommitDraft>()
  for (const one of people) {
    const draft = creation(await one.talksTo(dora))
    await one.does(roomsApi.commit, draft)
    rooms.set(one, draft)
  }
  const says = (who: Person, { chatRoomId, groupId, epoch }: CommitDraft) => who.posts(chatRoomId, sealed(groupId, epoch + 1))
  for (let round = 0; round < 3; round++) {
    const laptop = await dora.addsBrowser()
    const unaware = dora.identity.manifest.version
    const sending = [...rooms].flatMap(([one, draft]) => Array.from({ length: 6 }, (_, at) => says(at % 2 ? one : dora, draft)))
    const removal = dora.changesKeys({ removes: [laptop.deviceId] })
    for (const answer of await Promise.all(sending)) expect([200, 409], JSON.stringify(answer)).toContain(answer.status)
    await removal
    for (const [one, draft] of rooms) {
      expect(await says(one, draft)).toBeRefused(409, 'stale_epoch')
      const stale = { ...following(draft), manifestVersions: { [one.id]: 1, [dora.id]: unaware } }
      expect(await one.tries(roomsApi.commit, stale)).toBeRefused(409, 'stale_manifest')
      const next = knowing(following(draft), one, dora)
      await one.does(roomsApi.commit, next)
      expect(await says(dora, next)).toMatchObject({ status: 200 })
      rooms.set(one, next)
    }
  }
  const deadlocks = await world.sql('select deadlocks::int from pg_stat_database where datname = current_database()')
  expect(deadlocks).toEqual([{ deadlocks: 0 }])
})

test('a closed room answers what it has and takes nothing new', async () => {
  const { alice, bob, chatRoomId, first, groupId } = await inGroup()
  const known = await alice.says(chatRoomId, sealed(groupId, 1))
  await world.sql('update chat_rooms set is_closed = true where id = $1', [chatRoomId])
  const line = await alice.opensSocket()
  for (const content of [sealed(groupId, 1), sealed(groupId, 9), 'in the clear']) {
    expect(await alice.posts(chatRoomId, content)).toBeRefused(403, 'account_deleted')
  }
  line.says({ type: 'message', data: { id: randomUUID(), chatRoomId, content: 'by socket', messageType: 'text' } })
  expect((await line.hears('refused')).data.code).toBe('account_deleted')
  line.hangsUp()
  expect(await alice.says(chatRoomId, 'again', { id: known.id })).toEqual(known)
  expect(await alice.does(roomsApi.commit, first)).toEqual({ seq: 1 })
  for (const draft of [following(first), creation(chatRoomId, 2)]) {
    expect(await bob.tries(roomsApi.commit, draft)).toBeRefused(403, 'account_deleted')
  }
  expect(await bob.tries(roomsApi.claimKeyPackages, { chatRoomId, generation: 2 })).toBeRefused(403, 'account_deleted')
  expect(await logOf(bob, chatRoomId)).toHaveLength(2)
  expect(await bob.does(messagesApi.list, { chatRoomId })).toHaveLength(1)
  await bob.does(messagesApi.markRead, { chatRoomId })
  // Eve does not learn that a group existed.
  const eve = await world.person('eve')
  expect(await eve.posts(chatRoomId, 'x')).toBeRefused(404, 'not_found')
  expect(await eve.tries(roomsApi.commit, following(first))).toBeRefused(404, 'not_found')
})

test("Eve's commit is on its way while her device is removed: she names the list of after, and opens no room", async () => {
  const { alice, bob, chatRoomId, first, groupId } = await inGroup()
  const stolen = await bob.addsBrowser()
  const ahead = { ...following(first), manifestVersions: { [alice.id]: 1, [bob.id]: 9 } }
  let late: Promise<Answer> | undefined
  world.env.fault = async (point) => {
    if (point !== 'keys:written' || late) return
    late = stolen.tries(roomsApi.commit, ahead)
    await Promise.race([late, world.lockWaits()])
  }
  onTestFinished(() => void delete world.env.fault)
  await bob.changesKeys({ removes: [stolen.deviceId] })
  expect(await late).toBeRefused(401, 'not_signed_in')
  expect(await alice.posts(chatRoomId, sealed(groupId, 1))).toBeRefused(409, 'stale_epoch')
  expect(await alice.posts(chatRoomId, sealed(groupId, 2))).toBeRefused(409, 'stale_epoch')
  expect(await world.sql('select needs_commit from chat_rooms where id = $1', [chatRoomId])).toEqual([{ needs_commit: true }])
})

test("Eve's removed browser leaves no GroupInfo and no archive key behind, though both were on their way", async () => {
  const { alice, bob, chatRoomId, first, groupId } = await inGroup()
  const stolen = await bob.addsBrowser()
  const rubbish = { chatRoomId, groupId, epoch: 1, groupInfo: random() }
  const key = { ...archiveKey(bob, first, 2), sealed: random() }
  const late: Promise<Answer>[] = []
  world.env.fault = async (point) => {
    if (point !== 'keys:written' || late.length > 0) return
    late.push(
      stolen.tries(roomsApi.replaceGroupInfo, rubbish),
      stolen.tries(roomsApi.addArchiveKeys, { chatRoomId, keys: [key] }),
    )
    await Promise.race([Promise.all(late), world.lockWaits(late.length)])
  }
  onTestFinished(() => void delete world.env.fault)
  await bob.changesKeys({ removes: [stolen.deviceId] })
  expect(late).toHaveLength(2)
  for (const answer of late) expect(await answer).toBeRefused(401, 'not_signed_in')
  expect((await alice.does(roomsApi.group, { chatRoomId })).groupInfo).toBe(first.groupInfo)
  expect(await keptOf(bob, first)).toEqual([])
})

test('whoever declined Eve is told nothing of what she does in their room: no commit, no message, no receipt', async () => {
  const [bob, eve] = await Promise.all([world.person('bob'), world.person('eve')])
  const { chatRoomId } = await eve.adds(bob)
  const [request] = await bob.contacts()
  await bob.does(contactsApi.decline, { contactId: request?.id ?? '' })
  const [his, hers] = [await bob.opensSocket(), await eve.opensSocket()]
  const first = creation(chatRoomId)
  await eve.does(roomsApi.commit, first)
  await eve.says(chatRoomId, 'plain')
  await eve.does(roomsApi.commit, following(first))
  await eve.does(messagesApi.markRead, { chatRoomId })
  await hers.hears('commit')
  await hers.hears('receipt')
  his.says({ type: 'ping', data: {} })
  await his.hears('pong')
  expect(his.frames.map(({ type }) => type)).toEqual(['hello', 'pong'])
  his.hangsUp()
  hers.hangsUp()
})
