import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sendText } from '../client/chat/messages/send.ts'
import { proveAgain } from '../client/me/account/proveSession.ts'
import { type Api, createApi } from '../client/net/api.ts'
import { openBrowser } from '../client/testing/browser.ts'
import { createWire } from '../client/testing/wire.ts'
import { sessionsApi } from '../contract/account/sessions.ts'
import { contactsApi } from '../contract/chat/contacts.ts'
import { messagesApi } from '../contract/chat/messages.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { startWorld } from '../server/testing/world.ts'
import { newSomeone, type OpenWire, type Someone } from './someone.ts'

const server = await startWorld()

/** Opens a wire to the real server, over HTTP. */
const overHttp: OpenWire = () => {
  let cookie = ''
  return createApi({
    async fetch(path, { method = 'GET', body, headers }) {
      const given = Object.fromEntries(new Headers(headers))
      const sent = { ...given, origin: server.url, cookie }
      const answer = await fetch(server.url + path, { method, headers: sent, ...(body && { body }) })
      for (const line of answer.headers.getSetCookie()) if (line.includes('_session=')) cookie = line.split(';')[0] ?? ''
      return answer
    },
  })
}

/** Opens a wire to the in-memory server of the client's tests. */
function inMemory(): OpenWire {
  const wire = createWire({ areStrangers: true })
  const ids = new Map<string, string>()
  return (username, deviceId): Api => {
    const id = ids.get(username) ?? randomUUID()
    ids.set(username, id)
    return wire.api(id, deviceId)
  }
}

vi.setConfig({ testTimeout: 60_000 })
beforeAll(openBrowser)
beforeAll(() => void vi.stubGlobal('location', { origin: server.url }))
afterAll(() => void vi.unstubAllGlobals())

let names = 0

describe.each([
  ['the server in memory', inMemory()],
  ['the real server', overHttp],
])('At %s', (_, open) => {
  /** Makes two people who do not know each other. */
  async function strangers(): Promise<{ alice: Someone; bob: Someone }> {
    names += 1
    const people = { alice: await newSomeone(open, `alice_${names}`), bob: await newSomeone(open, `bob_${names}`) }
    await server.sql("update users set subscription_tier = 'premium'")
    return people
  }

  async function friends(): Promise<{ alice: Someone; bob: Someone }> {
    const { alice, bob } = await strangers()
    await alice.adds(bob)
    await bob.accepts(alice)
    return { alice, bob }
  }

  const textsOf = async (someone: Someone, other: Someone) => (await someone.looksAt(other)).map(([text]) => text)

  test('Alice adds Bob: he has a request, its messages count for nothing until he accepts, then he reads them', async () => {
    const { alice, bob } = await strangers()
    expect(await bob.list()).toEqual({ rows: [], total: 0 })
    await alice.adds(bob)
    expect(await alice.list()).toEqual({ rows: [[bob.username, 'accepted', 0]], total: 0 })
    await alice.says(bob, 'may I?')
    expect(await bob.list()).toEqual({ rows: [[alice.username, 'pending', 1]], total: 0 })
    // Alice sees no sign that Bob has looked.
    expect(await alice.looksAt(bob)).toEqual([['may I?', 'sent']])
    await bob.accepts(alice)
    expect(await bob.list()).toEqual({ rows: [[alice.username, 'accepted', 1]], total: 1 })
    expect(await textsOf(bob, alice)).toEqual(['may I?'])
    await expect(alice.adds(bob)).rejects.toMatchObject({ status: 409, code: 'already_contact' })
  })

  test('Whoever is asked and answers has accepted; whoever adds back has too', async () => {
    const { alice, bob } = await strangers()
    await alice.adds(bob)
    await bob.comesUp()
    await bob.adds(alice)
    expect(await bob.list()).toEqual({ rows: [[alice.username, 'accepted', 0]], total: 0 })
    await expect(alice.adds({ ...bob, username: 'nobody_at_all' })).rejects.toMatchObject({ status: 404, code: 'user_not_found' })
  })

  test('They write to each other: both see all of it in one order, and how far their own messages came', async () => {
    const { alice, bob } = await friends()
    await alice.says(bob, 'one')
    await alice.says(bob, 'two')
    expect(await bob.list()).toEqual({ rows: [[alice.username, 'accepted', 2]], total: 2 })
    expect(await alice.looksAt(bob)).toEqual([
      ['one', 'delivered'],
      ['two', 'delivered'],
    ])
    await bob.looksAt(alice)
    expect(await bob.list()).toEqual({ rows: [[alice.username, 'accepted', 0]], total: 0 })
    await bob.says(alice, 'three')
    expect(await alice.looksAt(bob)).toEqual([
      ['one', 'read'],
      ['two', 'read'],
      ['three', null],
    ])
    expect(await bob.looksAt(alice)).toEqual([
      ['one', null],
      ['two', null],
      ['three', 'read'],
    ])
  })

  test('A second browser of Alice reads everything, writes, and what one of them has read is read at the other', async () => {
    const { alice, bob } = await friends()
    await alice.says(bob, 'from my phone')
    await bob.says(alice, 'I am here')
    const laptop = await alice.another()
    expect(await laptop.list()).toEqual({ rows: [[bob.username, 'accepted', 1]], total: 1 })
    expect(await textsOf(laptop, bob)).toEqual(['from my phone', 'I am here'])
    expect(await alice.list()).toEqual({ rows: [[bob.username, 'accepted', 0]], total: 0 })
    await laptop.says(bob, 'from my laptop')
    for (const [one, other] of [[alice, bob] as const, [bob, alice] as const])
      expect(await textsOf(one, other)).toEqual(['from my phone', 'I am here', 'from my laptop'])
  })

  test('Alice blocks Bob: his words keep away from both of her browsers and count nowhere, and he sees nothing of it', async () => {
    const { alice, bob } = await friends()
    await bob.says(alice, 'before')
    const laptop = await alice.another()
    await alice.looksAt(bob)
    await alice.blocks(bob)
    await bob.says(alice, 'one')
    await bob.says(alice, 'two')
    expect(await bob.looksAt(alice)).toEqual([
      ['before', 'read'],
      ['one', 'sent'],
      ['two', 'sent'],
    ])
    expect(await laptop.list()).toEqual({ rows: [[bob.username, 'accepted', 0]], total: 0 })
    await laptop.unblocks(bob)
    await bob.says(alice, 'after')
    const calm = 'Messages while blocked are not kept'
    for (const browser of [alice, laptop]) expect(await textsOf(browser, bob)).toEqual(['before', calm, calm, 'after'])
  })

  test('Alice clears a chat: it is empty in both of her browsers, and Bob keeps his', async () => {
    const { alice, bob } = await friends()
    await bob.says(alice, 'one')
    await alice.says(bob, 'two')
    const laptop = await alice.another()
    expect(await textsOf(laptop, bob)).toEqual(['one', 'two'])
    await alice.clears(bob)
    for (const browser of [alice, laptop]) expect(await textsOf(browser, bob)).toEqual([])
    expect(await textsOf(bob, alice)).toEqual(['one', 'two'])
    await bob.says(alice, 'three')
    for (const browser of [laptop, alice, await alice.another()]) expect(await textsOf(browser, bob)).toEqual(['three'])
  })

  test('Alice gives a chat a password: her browsers show nothing of it without, all of it with, and Bob sees no difference', async () => {
    const { alice, bob } = await friends()
    await alice.says(bob, 'one')
    await bob.says(alice, 'two')
    const laptop = await alice.another()
    expect(await textsOf(laptop, bob)).toEqual(['one', 'two'])
    await alice.setsPassword(bob, 'open sesame')
    await bob.says(alice, 'three')
    for (const browser of [alice, laptop]) expect(await textsOf(browser, bob)).toEqual([])
    expect((await alice.list()).rows).toEqual([[bob.username, 'accepted', 1]])
    expect(await alice.unlocks(bob, 'open says me')).toBe(false)
    expect(await alice.unlocks(bob, 'open sesame')).toBe(true)
    expect(await textsOf(alice, bob)).toEqual(['one', 'two', 'three'])
    await alice.says(bob, 'four')
    await alice.locks(bob)
    expect(await textsOf(alice, bob)).toEqual([])
    const newest = await alice.another()
    expect(await textsOf(newest, bob)).toEqual([])
    for (const browser of [newest, laptop]) {
      expect(await browser.unlocks(bob, 'open sesame')).toBe(true)
      expect(await textsOf(browser, bob)).toEqual(['one', 'two', 'three', 'four'])
    }
    await laptop.changesPassword(bob, 'another one')
    expect(await alice.unlocks(bob, 'open sesame')).toBe(false)
    expect(await alice.unlocks(bob, 'another one')).toBe(true)
    await alice.removesPassword(bob)
    for (const browser of [alice, laptop, newest]) expect(await textsOf(browser, bob)).toEqual(['one', 'two', 'three', 'four'])
    expect(await textsOf(bob, alice)).toEqual(['one', 'two', 'three', 'four'])
  })

  test('Alice has forgotten the password of a chat: she gives its history up, and they write on', async () => {
    const { alice, bob } = await friends()
    await alice.says(bob, 'one')
    const laptop = await alice.another()
    expect(await textsOf(laptop, bob)).toEqual(['one'])
    await alice.setsPassword(bob, 'open sesame')
    await alice.givesUp(bob)
    for (const browser of [alice, laptop]) expect(await textsOf(browser, bob)).toEqual([])
    await bob.says(alice, 'two')
    await laptop.says(bob, 'three')
    for (const browser of [alice, laptop, await alice.another()]) expect(await textsOf(browser, bob)).toEqual(['two', 'three'])
    expect(await textsOf(bob, alice)).toEqual(['one', 'two', 'three'])
  })

  test('The answer to a message is lost, and the one to a commit: each message stands there once, and no encryption restarts', async () => {
    const { alice, bob } = await friends()
    alice.losesAnswer(roomsApi.commit)
    await alice.says(bob, 'one')
    await alice.comesUp()
    alice.losesAnswer(messagesApi.send)
    await alice.says(bob, 'two')
    await alice.comesUp()
    await bob.says(alice, 'three')
    for (const [one, other] of [[alice, bob] as const, [bob, alice] as const])
      expect(await textsOf(one, other)).toEqual(['one', 'two', 'three'])
  })

  test('Alice is offline: what she writes waits and says so, and goes out in its order when she is back', async () => {
    const { alice, bob } = await friends()
    await bob.says(alice, 'before')
    await alice.looksAt(bob)
    alice.goesOffline()
    await alice.says(bob, 'while I was away')
    await alice.says(bob, 'and another')
    expect((await alice.looksAt(bob)).slice(1)).toEqual([
      ['while I was away', 'sending'],
      ['and another', 'sending'],
    ])
    await bob.says(alice, 'are you there?')
    alice.comesBack()
    await alice.comesUp()
    for (const [one, other] of [[alice, bob] as const, [bob, alice] as const])
      expect(await textsOf(one, other)).toEqual(['before', 'are you there?', 'while I was away', 'and another'])
  })

  test('A browser whose session sleeps keeps what is written: it waits, and goes out once its device has signed again', async () => {
    const { alice, bob } = await friends()
    await bob.says(alice, 'before')
    const room = await alice.opens(bob)
    await alice.env.api(sessionsApi.sleep, {})
    await expect(alice.env.api(contactsApi.list, {})).rejects.toMatchObject({ status: 403, code: 'device_required' })
    await sendText(alice.env, room, 'while it slept')
    expect(await alice.env.crypto.outbox(room.id)).toMatchObject([{ failure: null }])
    expect(await textsOf(bob, alice)).toEqual(['before'])
    await proveAgain(alice.env)
    await alice.comesUp()
    for (const [one, other] of [[alice, bob] as const, [bob, alice] as const])
      expect(await textsOf(one, other)).toEqual(['before', 'while it slept'])
  })
})
