import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { longLibrary } from '../../testing/library.ts'
import { newPerson } from '../../testing/people.ts'
import { createWire } from '../../testing/wire.ts'
import { openLive } from '../account/openAccount.ts'
import { messagesOf } from '../vault/storedMessage.ts'
import type { Vault } from '../vault/vault.ts'
import { fold, needlesOf } from './foldText.ts'
import { forgetSegments, holdSegment, openSegment } from './heldSegments.ts'
import { indexRooms, searchMessages } from './search.ts'
import { wordsIn } from './searchindex.ts'
import { readSegment } from './segments.ts'

const ROOMS = 3
const MESSAGES = 3300
const WORDS = ['pear', 'peach', 'plum', 'apple', 'apricot', 'fig', 'Zürich', 'tea', 'can’t', '北京', 'nowhere']

/** Words that a seed gives; the last of `WORDS` is in few messages. */
function written() {
  let state = 7
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  return (index: number) =>
    `${index} ${Array.from({ length: 3 }, () => WORDS[next(WORDS.length - 1)]).join(' ')}${index % 997 === 0 ? ' nowhere' : ''}`
}

/** An open vault with an index of all its messages. */
async function library() {
  const { chatRoomIds, owner } = await longLibrary({ rooms: ROOMS, messages: MESSAGES }, written())
  const live = await openLive(owner.userId, owner.unlock)
  while (!(await indexRooms(live.vault, { chatRoomIds })));
  return { ...live, chatRoomIds, again: () => openLive(owner.userId, owner.unlock) }
}

/** Reads every message, and returns what finds those that have all words, newest first. */
async function plainScan(vault: Vault, chatRoomIds: string[]) {
  const rooms = await Promise.all(chatRoomIds.map((id) => messagesOf(vault, id, { after: 0, limit: MESSAGES })))
  const all = rooms
    .flat()
    .map(({ id, chatRoomId, seq, at, body }) => ({ id, chatRoomId, seq, at, text: fold(wordsIn(body) ?? '') }))
  all.sort((a, b) => b.at.localeCompare(a.at) || b.seq - a.seq)
  return (query: string, ids: string[]): string[] => {
    const needles = needlesOf(query)
    if (needles.length === 0) return []
    const found = all.filter(
      ({ chatRoomId, text }) => ids.includes(chatRoomId) && needles.every((needle) => text.includes(needle)),
    )
    return found.map(({ id }) => id)
  }
}

const headShape = z.looseObject({ segments: z.array(z.looseObject({ number: z.number(), version: z.number() })) })

/** Counts the segments that a vault is asked for. */
function counted(vault: Vault) {
  const get = vi.spyOn(vault, 'get')
  return () => get.mock.calls.splice(0).filter(([, key]) => String(key).startsWith('search:')).length
}

test('A search finds what reading every message finds, in the same order, and opens the newest segments alone where these have enough', async () => {
  const { vault, chatRoomIds, again } = await library()
  const scan = await plainScan(vault, chatRoomIds)
  const queries = ['pear', 'ea', 'plum apricot', 'p', 'nowhere', 'nowhere tea', 'ZURICH', 'cant', '京', '42', 'q', '?!']
  for (const [at, query] of queries.entries())
    for (const ids of [chatRoomIds, chatRoomIds.slice(at % ROOMS)])
      for (const limit of [1, 50]) {
        const { messages, hasMore } = await searchMessages(vault, { query, chatRoomIds: ids, limit })
        const scanned = scan(query, ids)
        expect(messages.map(({ id }) => id)).toEqual(scanned.slice(0, limit))
        expect(hasMore).toBe(scanned.length > limit)
      }

  const fresh = (await again()).vault
  const opened = counted(fresh)
  const all = (query: string) => searchMessages(fresh, { query, chatRoomIds, limit: 50 })
  expect((await searchMessages(fresh, { query: 'pear', chatRoomIds: chatRoomIds.slice(0, 1), limit: 5 })).messages).toHaveLength(
    5,
  )
  expect(opened()).toBe(2)
  await all('?!')
  expect(opened()).toBe(0)
  await all('nowhere')
  expect(opened()).toBe(2 * ROOMS - 2)
  await all('q')
  await all('pear')
  expect(opened()).toBe(0)

  // A head as an older build writes it.
  for (const { key, value } of await vault.named('searchhead:')) {
    const head = headShape.parse(value.json)
    const segments = head.segments.map(({ number, version }) => ({ number, version }))
    await vault.write([{ store: 'sealed', key, value: { json: { ...head, segments } } }])
  }
  const older = (await again()).vault
  const found = await searchMessages(older, { query: 'nowhere', chatRoomIds, limit: 50 })
  expect(found.messages.map(({ id }) => id)).toEqual(scan('nowhere', chatRoomIds))
  for (const { value } of await older.named('searchhead:'))
    for (const segment of headShape.parse(value.json).segments) expect(segment).toHaveProperty('newestAt')
})

test('Memory keeps the newest segments up to a bound, and nothing of a room that is forgotten', async () => {
  const { userId, unlock } = await newPerson(createWire())
  const { vault } = await openLive(userId, unlock)
  const make = (number: number, newestAt: number, units: number) =>
    readSegment({ number, version: 1 }, { json: { seqs: [number], ats: [newestAt], text: 'x'.repeat(units) } })
  const isHeld = async (number: number) =>
    await openSegment(vault, 'room', { number, version: 1 }).then(
      () => true,
      () => false,
    )
  const heldOf = async (numbers: number[]) => await Promise.all(numbers.map(isHeld))
  holdSegment(vault, 'room', make(1, 100, 6_000_000))
  holdSegment(vault, 'room', make(2, 300, 6_000_000))
  holdSegment(vault, 'room', make(3, 200, 6_000_000))
  expect(await heldOf([1, 2, 3])).toEqual([false, true, true])
  holdSegment(vault, 'room', make(4, 50, 6_000_000))
  holdSegment(vault, 'room', make(5, 400, 17_000_000))
  expect(await heldOf([2, 3, 4, 5])).toEqual([true, true, false, false])
  holdSegment(vault, 'room', make(6, 40, 4_000_000))
  expect(await heldOf([2, 3, 6])).toEqual([true, true, true])
  forgetSegments(vault, 'room', [{ number: 2, version: 1 }])
  expect(await heldOf([2, 3, 6])).toEqual([true, false, false])
})
