import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { type LogEntry, roomsApi } from '../../../contract/chat/rooms.ts'
import { ApiError } from '../../net/api.ts'
import { type TestPerson, wordsOf } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import type { StoredMessage } from '../../worker/crypto.ts'
import { refreshPeers } from '../trust/peers.ts'
import { catchUp } from './catchUp.ts'

// The screen shows "The server dropped or reordered messages before this one." above a message that is out of place.

/** Returns the texts with a warning above them, in the order of the screen. */
const warned = (messages: StoredMessage[]) => messages.filter(({ isOutOfPlace }) => isOutOfPlace).map(({ body }) => wordsOf(body))

/** From now on the server shows this browser a changed log of the room, renumbered without gaps. */
function showsOtherLog(wire: Wire, person: TestPerson, roomId: string, change: (log: LogEntry[]) => LogEntry[]): void {
  const { api } = person.env
  person.env.api = (async (endpoint, input) => {
    const answer = await api(endpoint, input)
    if (endpoint.path !== roomsApi.log.path) return answer
    const log = change(structuredClone(wire.rooms.get(roomId)?.log ?? [])).map((entry, at) => ({ ...entry, seq: at + 1 }))
    const { after } = input as { after: number }
    return { entries: log.slice(after, after + 50), lastSeq: log.length }
  }) as typeof api
}

/** Alice and Bob have joined, and both follow the current epoch. */
async function talking() {
  const at = await people()
  await at.alice.says(at.bob, 'one')
  await at.bob.says(at.alice, 'two')
  await at.alice.says(at.bob, 'three')
  await at.bob.reads(at.alice)
  const sent = (text: string) => at.alice.says(at.bob, text)
  /** Length of the log before the test's own messages. */
  const from = at.wire.rooms.get(at.roomId)?.log.length ?? 0
  return { ...at, sent, from }
}

const commits = async (person: TestPerson, other: TestPerson) => {
  const place = { chatRoomId: person.contact(other).chatRoomId, peerIds: [other.userId] }
  await person.env.api(roomsApi.commit, await person.core.commitRoom(place))
  await person.reads(other)
}

test('The server withholds a message: the next one has the warning above it, and all that comes stays readable', async () => {
  const { alice, bob, wire, roomId, sent, from } = await talking()
  for (const text of ['withheld', 'four', 'five']) await sent(text)
  showsOtherLog(wire, bob, roomId, (log) => log.filter((_, at) => at !== from))
  const messages = await bob.reads(alice)
  expect(messages.map(({ body }) => wordsOf(body))).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(warned(messages)).toEqual(['four', 'five'])
})

test('The server puts rubbish in the place of a message: the next one has the warning above it', async () => {
  const { alice, bob, wire, roomId, sent, from } = await talking()
  for (const text of ['replaced', 'four']) await sent(text)
  showsOtherLog(wire, bob, roomId, (log) =>
    log.map((entry, at) => (at === from && entry.kind === 'message' ? { ...entry, content: 'hello' } : entry)),
  )
  expect(warned(await bob.reads(alice))).toEqual(['four'])
})

test('The server puts a false commit in the place of the last message before a real one: the warning comes behind it', async () => {
  const { alice, bob, wire, roomId, sent, from } = await talking()
  await sent('four')
  await sent('replaced')
  await commits(alice, bob)
  await sent('five')
  showsOtherLog(wire, bob, roomId, (log) => {
    const commit = log.findLast((entry, at) => entry.kind === 'commit' && at < from)
    return log.map((entry, at) => (at === from + 1 && commit ? commit : entry))
  })
  const messages = await bob.reads(alice)
  expect(messages.map(({ body }) => wordsOf(body))).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(warned(messages)).toEqual(['five'])
})

test('The server swaps two messages: the one that comes too early has the warning, and the next one', async () => {
  const { alice, bob, wire, roomId, sent, from } = await talking()
  for (const text of ['four', 'five', 'six']) await sent(text)
  showsOtherLog(wire, bob, roomId, (log) => {
    const [four, five] = [log[from], log[from + 1]]
    if (!four || !five) throw new Error('nothing to swap')
    return log.with(from, five).with(from + 1, four)
  })
  const messages = await bob.reads(alice)
  expect(messages.map(({ body }) => wordsOf(body)).slice(3)).toEqual(['five', 'four', 'six'])
  expect(warned(messages)).toEqual(['five', 'six'])
})

test('The server repeats a message for one of the two: the next but one has the warning above it', async () => {
  const { alice, bob, wire, roomId, sent, from } = await talking()
  for (const text of ['four', 'five', 'six']) await sent(text)
  showsOtherLog(wire, bob, roomId, (log) => log.toSpliced(from + 1, 0, ...log.slice(from, from + 1)))
  const messages = await bob.reads(alice)
  // There may be other messages between two of Alice's. The repeated message itself is shown as unreadable.
  expect(messages.map(({ body }) => body.kind).slice(-4)).toEqual(['content', 'unreadable', 'content', 'content'])
  expect(warned(messages)).toEqual(['six'])
})

test('The server shows the two of them different chats: what Bob says in his has the warning above it', async () => {
  const { alice, bob, wire, roomId, sent, from } = await talking()
  await sent('only Alice sees this')
  showsOtherLog(wire, bob, roomId, (log) => log.filter((_, at) => at !== from))
  await bob.says(alice, 'it may have crossed hers')
  await bob.says(alice, 'only Bob says this')
  expect(warned(await alice.reads(bob))).toEqual(['only Bob says this'])
})

test("The server withholds a message from one of Alice's browsers: what her other one says next has the warning", async () => {
  const { alice, bob, wire, roomId, sent, from } = await talking()
  const laptop = await alice.newComputer()
  await laptop.says(bob, 'from the laptop')
  await sent('withheld from the laptop')
  await sent('and this not')
  const at = wire.rooms.get(roomId)?.log.findLastIndex(({ kind }) => kind === 'message') ?? from
  showsOtherLog(wire, laptop, roomId, (log) => log.filter((_, place) => place !== at - 1))
  expect(warned(await laptop.reads(bob))).toEqual(['and this not'])
  expect(warned(await bob.reads(alice))).toEqual([])
})

test('A browser that only reads sees it as well, from the first commit that it has passed', async () => {
  const { alice, bob, wire, roomId, sent } = await talking()
  const laptop = await bob.newComputer()
  await laptop.reads(alice)
  await sent('withheld before a commit')
  await sent('four')
  const hidden: string[] = ['withheld before a commit', 'withheld']
  const texts = new Map<string, string>()
  for (const message of await bob.reads(alice)) texts.set(message.id, wordsOf(message.body))
  await refreshPeers(alice.env, alice.room(bob))
  await commits(alice, bob)
  for (const text of ['five', 'withheld', 'six']) await sent(text)
  for (const message of await bob.reads(alice)) texts.set(message.id, wordsOf(message.body))
  showsOtherLog(wire, laptop, roomId, (log) =>
    log.map((entry) =>
      entry.kind === 'message' && hidden.includes(texts.get(entry.id) ?? '') ? { ...entry, content: 'hello' } : entry,
    ),
  )
  expect(warned(await laptop.reads(alice))).toEqual(['six'])
  expect((await laptop.core.roomRecord(roomId))?.standing).toBe('outside')
})

test('A message whose key comes late is compared when it is opened', async () => {
  const { alice, bob, wire, roomId, sent } = await talking()
  const laptop = await bob.newComputer()
  await laptop.reads(alice)
  await refreshPeers(alice.env, alice.room(bob))
  await commits(alice, bob)
  for (const text of ['four', 'withheld', 'five']) await sent(text)
  const room = wire.rooms.get(roomId)
  const hidden = room?.log.filter(({ kind }) => kind === 'message').at(-2)
  const keys = room?.archiveKeys ?? []
  if (room) room.archiveKeys = []
  showsOtherLog(wire, laptop, roomId, (log) =>
    log.map((entry) => (entry.seq === hidden?.seq && entry.kind === 'message' ? { ...entry, content: 'hello' } : entry)),
  )
  const waiting = await laptop.reads(alice)
  expect(waiting.filter(({ body }) => body.kind === 'sealed')).toHaveLength(2)
  if (room) room.archiveKeys = keys
  laptop.env.clock = () => new Date(Date.now() + 6 * 60_000)
  const opened = await laptop.reads(alice)
  expect(opened.map(({ body }) => wordsOf(body)).slice(-3)).toEqual(['four', 'hello', 'five'])
  expect(warned(opened)).toEqual(['five'])
})

test('The server moves a message of older pages before what its sender had seen: the warning stands above it there too', async () => {
  const { alice, bob, wire, roomId } = await talking()
  const laptop = await bob.newBrowser()
  const log = wire.rooms.get(roomId)?.log ?? []
  const turned = log.filter((entry) => entry.kind === 'message').reverse()
  const entries = log.map((entry) => (entry.kind === 'message' ? { ...turned.shift(), seq: entry.seq } : entry))
  showsOtherLog(wire, laptop, roomId, () => entries as LogEntry[])
  const messages = await laptop.reads(alice)
  expect(messages.map(({ body }) => wordsOf(body))).toEqual(['three', 'two', 'one'])
  expect(warned(messages)).toEqual(['three', 'two'])
})

test('The server puts other words into an older page: the message behind them has the warning, on a browser that was not there', async () => {
  const { alice, bob, wire, roomId } = await talking()
  const laptop = await bob.newBrowser()
  const log = wire.rooms.get(roomId)?.log ?? []
  const last = log.at(-2)
  if (last?.kind !== 'message') throw new Error('There is no message before the last')
  const entries = log.map((entry) => (entry === last ? { ...last, id: randomUUID(), content: 'of the server' } : entry))
  showsOtherLog(wire, laptop, roomId, () => entries as LogEntry[])
  const messages = await laptop.reads(alice)
  expect(messages.map(({ body }) => wordsOf(body))).toEqual(['one', 'of the server', 'three'])
  expect(warned(messages)).toEqual(['three'])
})

/** A pseudorandom generator with a seed, so that a failure can be repeated. */
function dice(seed: number) {
  let state = seed
  return (sides: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

test.each([1, 2, 3, 4])(
  'Whatever two people do on two browsers each, an honest server never gets a warning (%i)',
  async (seed) => {
    const roll = dice(seed)
    const { alice, bob, wire, roomId } = await people()
    const others = [bob, alice] as const
    const sides: [TestPerson[], TestPerson[]] = [[alice], [bob]]
    const browser = (side: 0 | 1, at: number): TestPerson => sides[side][at] ?? others[(1 - side) as 0 | 1]
    const sentTexts: string[] = []
    const attempt = (work: Promise<unknown>) =>
      work.catch((error: unknown) => {
        // Expected failures, after which a person tries again.
        const isBusy =
          error instanceof ApiError || (error instanceof Error && /busy|changed|broke|not in this chat/.test(error.message))
        if (!isBusy) throw error
      })
    const speak = async (side: 0 | 1, at: number) => {
      const text = `${seed}-${sentTexts.length}`
      sentTexts.push(text)
      await attempt(browser(side, at).says(others[side], text))
    }
    // Both write a first message.
    await Promise.all([speak(0, 0), speak(1, 0)])
    for (let step = 0; step < 45; step++) {
      const side = roll(2) as 0 | 1
      const browsers = sides[side]
      const at = roll(browsers.length)
      const person = browser(side, at)
      const other = others[side]
      const what = roll(12)
      if (what < 4) await speak(side, at)
      else if (what < 6) await attempt(catchUp(person.env, person.room(other)))
      else if (what === 6) await attempt(person.reads(other).then(() => commits(person, other)))
      else if (what === 7) browsers[at] = await person.newTab()
      else if (what === 8 && browsers.length < 2) browsers.push(await person.newComputer())
      else if (what === 9) await Promise.all([speak(0, roll(sides[0].length)), speak(1, roll(sides[1].length))])
      else if (what === 10) {
        const path = roll(2) ? messagesApi.send.path : roomsApi.commit.path
        wire.afterEffect = (_, asked) => {
          if (asked !== path) return
          wire.afterEffect = undefined
          throw new Error('the connection broke')
        }
        await speak(side, at)
        wire.afterEffect = undefined
      } else await person.env.api(messagesApi.send, { chatRoomId: roomId, content: 'plain', messageType: 'text' })
    }
    for (const [side, browsers] of sides.entries()) {
      for (const person of browsers) {
        const messages = await person.reads(others[side as 0 | 1])
        expect(warned(messages)).toEqual([])
        expect(messages.filter(({ body }) => body.kind === 'unreadable')).toEqual([])
        expect(messages.filter(({ body }) => body.kind === 'content').length).toBeGreaterThan(10)
      }
    }
  },
)
