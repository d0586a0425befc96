import { afterEach, expect, test } from 'vitest'
import type { RoomPage } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { TestPerson } from '../../testing/people.ts'
import { clone, counting, patchedClient, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { recordWrite } from '../../worker/vault/storedRoom.ts'
import { reloadRooms } from '../list/loadRooms.ts'
import { resetRooms } from '../list/roomList.ts'
import { healReading } from './healRooms.ts'
import { readyRoom } from './readyRoom.ts'

afterEach(resetRooms)

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

const commitsOf = (wire: Wire, roomId: string, { userId }: TestPerson): number =>
  wire.rooms.get(roomId)?.log.filter(({ kind, senderId }) => kind === 'commit' && senderId === userId).length ?? 0

/** Alice and Bob have both written a message. `moveOn` advances both clocks. */
async function talking() {
  const at = await people()
  const { alice, bob, wire, roomId } = at
  let ahead = 0
  for (const { env } of [alice, bob]) env.clock = () => new Date(Date.now() + ahead)
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  /** Posts an empty commit, as a healing device does. */
  const renews = async (person: TestPerson, other: TestPerson) => {
    await person.reads(other)
    await readyRoom(person.env, person.room(other), { mustCommit: true })
  }
  const commits = (person: TestPerson) => commitsOf(wire, roomId, person)
  const moveOn = (ms: number) => {
    ahead += ms
  }
  return { ...at, renews, commits, moveOn }
}

test("Eve has copied Alice's browser, and Bob renews his keys every day: Alice's next message shuts her out all the same", async () => {
  const { alice, bob, wire, roomId, renews, commits, moveOn } = await talking()
  const copy = await clone(alice, wire)
  moveOn(23 * HOUR_MS)
  await renews(bob, alice)
  await copy.reads(bob)
  expect((await copy.core.roomRecord(roomId))?.standing).toBe('joined')
  await alice.reads(bob)
  moveOn(2 * HOUR_MS)
  const before = commits(alice)
  await alice.says(bob, 'three')
  expect(commits(alice)).toBe(before + 1)
  await copy.reads(bob)
  expect((await copy.core.roomRecord(roomId))?.standing).toBe('outside')
  expect((await bob.hears(alice)).at(-1)).toBe('three')
})

test("Alice's keys are renewed after fifty messages of her own, however often Bob renews his", async () => {
  const { alice, bob, renews, commits } = await talking()
  const before = commits(alice)
  // `talking` has already sent the first of the fifty messages.
  for (let count = 1; count < 50; count++) {
    if (count === 25) await renews(bob, alice)
    await alice.says(bob, `message ${count}`)
  }
  expect(commits(alice)).toBe(before)
  await alice.says(bob, 'the fifty-first')
  expect(commits(alice)).toBe(before + 1)
})

test('A room as an older version of the page has left it: keys are renewed a day after the last commit that it knew', async () => {
  const { alice, bob, roomId, renews, commits, moveOn } = await talking()
  const { live } = await patchedClient(alice, bob)
  const record = await alice.core.roomRecord(roomId)
  if (!record) throw new Error('There is no record')
  const { ownPath: _, ...older } = record
  await live.vault.write([recordWrite(roomId, { ...older, lastCommitAt: new Date(Date.now() - HOUR_MS).toISOString() })])
  const before = commits(alice)
  moveOn(22 * HOUR_MS)
  await renews(bob, alice)
  await alice.says(bob, 'three')
  expect(commits(alice)).toBe(before)
  moveOn(2 * HOUR_MS)
  await alice.says(bob, 'four')
  expect(commits(alice)).toBe(before + 1)
})

test('Bob only reads: after a week with messages his keys are renewed once, and not in a week in which nobody writes', async () => {
  const { alice, bob, commits, moveOn } = await talking()
  await reloadRooms(bob.env)
  const before = commits(bob)
  moveOn(6 * DAY_MS)
  await alice.says(bob, 'three')
  await bob.reads(alice)
  await healReading(bob.env)
  expect(commits(bob)).toBe(before)
  moveOn(2 * DAY_MS)
  await healReading(bob.env)
  await healReading(bob.env)
  expect(commits(bob)).toBe(before + 1)
  moveOn(8 * DAY_MS)
  await healReading(bob.env)
  expect(commits(bob)).toBe(before + 1)
  await alice.says(bob, 'four')
  await bob.reads(alice)
  await healReading(bob.env)
  expect(commits(bob)).toBe(before + 2)
  expect((await bob.hears(alice)).at(-1)).toBe('four')
})

test("Bob's browsers are due together and another one is first: this one waits for the next day", async () => {
  const { alice, bob, roomId, renews, commits, moveOn } = await talking()
  moveOn(8 * DAY_MS)
  await alice.says(bob, 'three')
  await bob.reads(alice)
  await reloadRooms(bob.env)
  const { api } = bob.env
  let isFirst = true
  bob.env.api = (async (endpoint: unknown, input: unknown) => {
    if (endpoint === roomsApi.commit && isFirst) {
      isFirst = false
      await renews(alice, bob)
    }
    return await api(endpoint as never, input as never)
  }) as typeof api
  const before = commits(bob)
  const calls = counting(bob)
  await healReading(bob.env)
  await healReading(bob.env)
  expect(calls.get(roomsApi.commit.path)).toBe(1)
  expect(commits(bob)).toBe(before)
  expect((await bob.core.roomRecord(roomId))?.standing).toBe('joined')
  moveOn(DAY_MS + HOUR_MS)
  await healReading(bob.env)
  expect(commits(bob)).toBe(before + 1)
})

test('The room of an open request is not healed', async () => {
  const { alice, bob, commits, moveOn, wire } = await talking()
  moveOn(8 * DAY_MS)
  await alice.says(bob, 'three')
  await bob.reads(alice)
  wire.lie = (caller, path, answer) =>
    caller === bob.userId && path === roomsApi.list.path
      ? {
          ...(answer as RoomPage),
          rooms: (answer as RoomPage).rooms.map((row) => ({ ...row, direct: row.direct && { ...row.direct, state: 'pending' } })),
        }
      : undefined
  await reloadRooms(bob.env)
  const before = commits(bob)
  await healReading(bob.env)
  expect(commits(bob)).toBe(before)
})
