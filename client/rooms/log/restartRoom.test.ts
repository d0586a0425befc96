import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { flushRoom, waitOf } from '../../chat/messages/outbox.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { mergedGenerations } from '../../worker/lists/generations.ts'
import { reloadRooms } from '../list/loadRooms.ts'
import { resetRooms, roomById } from '../list/roomList.ts'
import { syncBook } from '../trust/book.ts'
import { resetPeople } from '../trust/people.ts'
import { restart } from './restartRoom.ts'

afterEach(() => {
  resetRooms()
  resetPeople()
})

/** Puts a generation on the server that no device can follow. */
function leapTo(wire: Wire, roomId: string, generation: number, by: TestPerson): void {
  const room = wire.rooms.get(roomId)
  if (!room) throw new Error('There is no room')
  const groupId = toBase64(randomBytes(48))
  const place = { chatRoomId: roomId, senderId: by.userId, generation, groupId, epoch: 0 }
  const createdAt = new Date().toISOString()
  room.log.push({ kind: 'commit', seq: room.log.length + 1, ...place, commit: toBase64(randomBytes(60)), createdAt })
  Object.assign(room, { generation, groupId, epoch: 1, groupInfo: toBase64(randomBytes(60)), welcome: null })
}

/** Runs `work` on the page of a browser. Returns true if the page asks to restart the room. */
async function isAsked({ env }: TestPerson, roomId: string, work: () => Promise<unknown>): Promise<boolean> {
  resetRooms()
  await reloadRooms(env)
  await work().catch(() => undefined)
  return roomById(roomId)?.asksRestart === true
}

test('Eve makes so many generations that nobody can follow: the person is asked, and after their yes the chat goes on', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  leapTo(wire, roomId, 1500, bob)
  expect(await isAsked(alice, roomId, () => alice.reads(bob))).toBe(true)
  await alice.keeps(bob, 'three')
  await flushRoom(alice.env, alice.room(bob), async () => undefined)
  expect(waitOf(roomId)?.reason).toContain('Nothing is sent until you decide')
  expect((await alice.core.outbox(roomId))[0]?.failure).toBeNull()

  await restart(alice.env, alice.room(bob))
  expect(roomById(roomId)?.asksRestart).toBe(false)
  expect(wire.rooms.get(roomId)?.generation).toBe(1501)
  await alice.sends(alice.room(bob))
  expect(await isAsked(bob, roomId, () => bob.reads(alice))).toBe(true)
  await restart(bob.env, bob.room(alice))
  await bob.says(alice, 'four')
  expect((await alice.hears(bob)).filter((words) => words !== 'Encryption restarted')).toEqual(['one', 'two', 'three', 'four'])
  expect((await bob.hears(alice)).at(-1)).toBe('four')
})

test('The server was put back to an older state: a new browser is asked, and after the yes both go on', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  const older = structuredClone(wire.rooms.get(roomId))
  const place = { chatRoomId: roomId, peerIds: [bob.userId], generation: 2, lastSeq: 99 }
  // Her book has the second generation, which the server has lost.
  await alice.core.restartRoom(place)
  await syncBook(alice.env)
  if (!older) throw new Error('There is no room')
  wire.rooms.set(roomId, older)
  const laptop = await alice.newComputer()
  expect(await isAsked(laptop, roomId, () => laptop.reads(bob))).toBe(true)
  await restart(laptop.env, laptop.room(bob))
  await laptop.says(bob, 'three')
  expect((await bob.hears(alice)).at(-1)).toBe('three')
  await bob.says(alice, 'four')
  expect((await laptop.hears(bob)).at(-1)).toBe('four')
})

test("Alice has decided in one browser: her other one follows without a question, also one that cannot be reached by the server's word alone", async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  leapTo(wire, roomId, 4000, bob)
  expect(await isAsked(laptop, roomId, () => laptop.reads(bob))).toBe(true)
  await restart(laptop.env, laptop.room(bob))
  await laptop.says(bob, 'three')
  expect(await isAsked(alice, roomId, () => alice.reads(bob))).toBe(false)
  expect((await alice.hears(bob)).at(-1)).toBe('three')
})

test('Of two books the later decision about a room holds, whatever its generation; a stolen browser does not leap beyond all others', () => {
  const bookOf = (generation: number, n?: number) => ({
    ...{ pins: {}, aliases: {}, generations: { room: generation } },
    ...(n !== undefined && { restarts: { room: n } }),
  })
  const merged = (mine: ReturnType<typeof bookOf>, theirs: ReturnType<typeof bookOf>) => {
    const both = [mergedGenerations(mine, theirs), mergedGenerations(theirs, mine)]
    expect(both[0]).toEqual(both[1])
    return both[0]
  }
  expect(merged(bookOf(3), bookOf(5))).toEqual({ generations: { room: 5 } })
  expect(merged(bookOf(2_147_483_647), bookOf(3, 1))).toEqual({ generations: { room: 3 }, restarts: { room: 1 } })
  expect(merged(bookOf(3, 2), bookOf(4, 2))).toEqual({ generations: { room: 4 }, restarts: { room: 2 } })
  expect(mergedGenerations(bookOf(3, 1), bookOf(9, 2_147_483_647))).toEqual({ generations: { room: 3 }, restarts: { room: 1 } })
})
