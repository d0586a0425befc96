import { expect, test } from 'vitest'
import { checkLaw } from './checker.ts'
import { BREACHES, type Stored, type StoredRoom } from './law.ts'
import { type Attempt, type Entry, type History, newHistory } from './recorder.ts'

const ROOM = 'dm_alice_bob'
const [ALICE, BOB] = ['alice', 'bob']
/** Alice's. */
const READ = { kind: 'read', userId: ALICE, roomId: ROOM } as const

/** A correct history: Alice and Bob send in turn, each after the other's acknowledgement, with one commit in the middle. */
function world(): { history: History; stored: Stored; room: StoredRoom } {
  const history = newHistory()
  const entries: Entry[] = ['m1', 'm2', 'c3', 'm4', 'm5', 'm6'].map((id, at) => ({
    kind: id.startsWith('c') ? 'commit' : 'message',
    roomId: ROOM,
    seq: at + 1,
    id,
    senderId: at % 2 === 0 ? ALICE : BOB,
    digest: `text of ${id}`,
    epoch: at <= 2 ? 1 : 2,
  }))
  for (const entry of entries) history.attempts.push(attemptOf(entry))
  const page = { roomId: ROOM, after: 0, limit: 200, lastSeq: 6, isFull: false, isFinal: true }
  for (const [connection, userId] of [ALICE, BOB].entries()) {
    history.pages.push({ ...page, userId, entries: structuredClone(entries) })
    for (const entry of structuredClone(entries)) history.frames.push({ userId, connection, at: entry.seq * 10 + 6, entry })
  }
  const room: StoredRoom = {
    id: ROOM,
    entries,
    lastSeq: 6,
    lastMessageSeq: 6,
    firstEpoch: 1,
    epoch: 2,
    members: [
      { userId: ALICE, readSeq: 4, deliveredSeq: 5, unreadCount: 1 },
      { userId: BOB, readSeq: 6, deliveredSeq: 6, unreadCount: 0 },
    ],
  }
  const counted = new Map([
    [ALICE, 2],
    [BOB, 3],
  ])
  return { history, stored: { rooms: [room], counted }, room }
}

function attemptOf({ kind, roomId, seq, id, senderId, digest }: Entry): Attempt {
  const times = { startedAt: seq * 10, endedAt: seq * 10 + 5 }
  return { kind, roomId, id, senderId, digest, ...times, outcome: 'acknowledged', seq, answered: digest }
}

/** The names of the breaches that the checker finds. */
function found({ history, stored }: Pick<ReturnType<typeof world>, 'history' | 'stored'>): string[] {
  const verdict = checkLaw(history, stored)
  return BREACHES.filter((breach) => verdict[breach].length > 0)
}

const at = <T>(list: T[], index: number): T => {
  const one = list.at(index)
  if (one === undefined) throw new Error('Nothing is there')
  return one
}

/** Removes a message from all frames and pages, so that a test finds its breach in the attempts and the database alone. */
const forgetSeen = (history: History, id: string) => {
  history.frames = history.frames.filter((frame) => frame.entry.id !== id)
  for (const page of history.pages) page.entries = page.entries.filter((entry) => entry.id !== id)
}

test('a history in which all is well has no breach', () => {
  expect(found(world())).toEqual([])
})

test('a planted loss is found: acknowledged, and gone', () => {
  const planted = world()
  const gone = planted.room.entries.pop()
  planted.room.lastSeq = 5
  planted.room.lastMessageSeq = 5
  planted.stored.counted.set(BOB, 2)
  at(planted.room.members, 0).unreadCount = 0
  Object.assign(at(planted.room.members, 1), { readSeq: 5, deliveredSeq: 5 })
  forgetSeen(planted.history, gone?.id ?? '')
  for (const page of planted.history.pages) page.lastSeq = 5
  expect(found(planted)).toEqual(['lost'])
})

test('a loss is found where nobody was answered, but someone saw it', () => {
  const planted = world()
  planted.history.frames.push({
    ...at(planted.history.frames, 0),
    connection: 7,
    entry: { ...at(planted.room.entries, 5), seq: 7 },
  })
  expect(found(planted)).toEqual(['lost'])
})

test('an acknowledged mark that moved back is a loss', () => {
  const planted = world()
  planted.history.marks.push({ ...READ, seq: 5, knownAt: 60 })
  expect(found(planted)).toEqual(['lost'])
})

test('a mark that was lower for a while is a loss, although it stands as high again in the end', () => {
  const shown = world()
  const [before, meanwhile, after] = [
    { ...READ, seq: 2, askedAt: 40, knownAt: 45 },
    { ...READ, seq: 3, askedAt: 55, knownAt: 65 },
    { ...READ, seq: 4, askedAt: 70, knownAt: 75 },
  ]
  shown.history.marks.push({ ...READ, seq: 4, knownAt: 60 }, before, meanwhile, after, { ...after, kind: 'delivered' })
  expect(found(shown)).toEqual([])
  shown.history.marks.push({ ...after, seq: 3 })
  expect(found(shown)).toEqual(['lost'])
})

test('a planted duplicate is found, stored or shown', () => {
  const planted = world()
  const twin = { ...at(planted.room.entries, 5), seq: 7 }
  planted.room.entries.push(twin)
  Object.assign(planted.room, { lastSeq: 7, lastMessageSeq: 7 })
  planted.stored.counted.set(BOB, 4)
  at(planted.room.members, 0).unreadCount = 2
  Object.assign(at(planted.room.members, 1), { readSeq: 7, deliveredSeq: 7 })
  for (const page of planted.history.pages) Object.assign(page, { lastSeq: 7, entries: [...page.entries, twin] })
  expect(found(planted)).toEqual(['duplicated'])

  const shown = world()
  shown.history.frames.push(at(shown.history.frames, 0))
  expect(found(shown)).toEqual(['duplicated'])
})

test('a planted gap is found, stored or in a page', () => {
  const planted = world()
  const last = at(planted.room.entries, 5)
  forgetSeen(planted.history, last.id)
  last.seq = 7
  Object.assign(at(planted.history.attempts, 5), { seq: 7 })
  Object.assign(planted.room, { lastSeq: 7, lastMessageSeq: 7 })
  const { gaps } = checkLaw(planted.history, planted.stored)
  expect(gaps).toContain(`${ROOM} goes from 5 to 7`)

  const paged = world()
  const page = { ...at(paged.history.pages, 0), isFinal: false }
  paged.history.pages.push({ ...page, entries: page.entries.filter((entry) => entry.seq !== 2) })
  expect(found(paged)).toEqual(['gaps'])
})

test('a page that ends too early is a gap, unless its texts fill it', () => {
  const planted = world()
  const page = { ...at(planted.history.pages, 0), isFinal: false }
  planted.history.pages.push({ ...page, entries: page.entries.slice(0, 3) })
  expect(found(planted)).toEqual(['gaps'])
  const full = world()
  full.history.pages.push({ ...page, entries: page.entries.slice(0, 3), isFull: true })
  expect(found(full)).toEqual([])
})

test('a planted reorder is found: acknowledged before the other one was begun, and behind it', () => {
  const planted = world()
  Object.assign(at(planted.history.attempts, 3), { startedAt: 70, endedAt: 75 })
  expect(found(planted)).toEqual(['reordered'])
})

test('two that were under way at the same time may stand in any order', () => {
  const planted = world()
  Object.assign(at(planted.history.attempts, 3), { startedAt: 53, endedAt: 65 })
  expect(found(planted)).toEqual([])
})

test('a planted foreign message is found: never sent, changed, refused, or shown to Eve', () => {
  const never = world()
  never.history.attempts.splice(1, 1)
  expect(found(never)).toEqual(['foreign'])

  const changed = world()
  Object.assign(at(changed.history.attempts, 1), { digest: 'another text' })
  expect(found(changed)).toEqual(['foreign'])

  const refused = world()
  Object.assign(at(refused.history.attempts, 1), { outcome: 'refused' })
  expect(found(refused)).toEqual(['foreign'])

  const eve = world()
  eve.history.frames.push({ ...at(eve.history.frames, 0), userId: 'eve', connection: 8 })
  expect(found(eve)).toEqual(['foreign'])
})

test('a planted false acknowledgement is found: another place, another text, two places, or nothing could be kept', () => {
  for (const lie of [{ seq: 3 }, { answered: 'another text' }]) {
    const planted = world()
    Object.assign(at(planted.history.attempts, 1), lie)
    expect(found(planted)).toEqual(['false acks'])
  }
  const twice = world()
  twice.history.attempts.push({ ...at(twice.history.attempts, 1), seq: 9 })
  expect(found(twice)).toEqual(['false acks'])

  const silent = world()
  silent.history.silences.push({ from: 19, to: 26 })
  expect(found(silent)).toEqual(['false acks'])
  silent.history.silences = [{ from: 21, to: 26 }]
  expect(found(silent)).toEqual([])
})

test('an unknown outcome may be stored once or not at all', () => {
  const stored = world()
  Object.assign(at(stored.history.attempts, 1), { outcome: 'unknown', seq: undefined })
  expect(found(stored)).toEqual([])

  const absent = world()
  absent.history.attempts.push({ ...at(absent.history.attempts, 0), id: 'm9', outcome: 'unknown' })
  expect(found(absent)).toEqual([])
})

test('ends that differ are found: another text at a place, or one who cannot read all of it', () => {
  const other = world()
  Object.assign(at(at(other.history.pages, 1).entries, 3), { digest: 'another text' })
  expect(found(other)).toEqual(['differing'])

  const short = world()
  short.history.pages.pop()
  expect(found(short)).toEqual(['differing'])
})

test('a message of an old epoch behind a commit is found, and a commit that skips one', () => {
  const late = world()
  at(late.room.entries, 4).epoch = 1
  expect(found(late)).toEqual(['stale'])

  const ahead = world()
  ahead.room.epoch = 3
  expect(found(ahead)).toEqual(['stale'])
})

test('counters that do not say what the rows say are found', () => {
  for (const wrong of [{ unreadCount: 2 }, { deliveredSeq: 3 }, { deliveredSeq: 7 }]) {
    const planted = world()
    Object.assign(at(planted.room.members, 0), wrong)
    expect(found(planted)).toEqual(['miscounted'])
  }
  const plan = world()
  plan.stored.counted.set(ALICE, 9)
  expect(found(plan)).toEqual(['miscounted'])
})
