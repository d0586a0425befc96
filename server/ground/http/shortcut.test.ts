import { randomUUID } from 'node:crypto'
import { Agent, request as ask } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { makeMetrics } from '../metrics/metrics.ts'

const metrics = makeMetrics()
const world = await startWorld({ metrics })
const { alice, bob, eve } = await world.people()
const chatRoomId = await alice.talksTo(bob)
const draft = (more: object = {}) => JSON.stringify({ chatRoomId, content: 'x', messageType: 'text', ...more })

// A query makes a request unusual: it goes through the framework.
const [SHORT, LONG] = ['/api/messages', '/api/messages?']

async function postBothWays(who: Person, body: string, headers: Record<string, string> = {}) {
  const answers = []
  for (const path of [SHORT, LONG]) {
    const { status, body: answered, headers: sent } = await who.request('POST', path, { body, headers })
    const same = Object.fromEntries([...sent].filter(([name]) => !['date', 'content-length'].includes(name)))
    answers.push({ status, answered, headers: same })
  }
  const [short, long] = answers
  return { short, long }
}

const cases: [string, string, Record<string, string>, number][] = [
  ['a body that is cut short', '{"content": "x', {}, 400],
  ['an empty body', '', {}, 400],
  ['a list', '[]', {}, 400],
  ['a poisoned prototype', draft().replace('{', '{"__proto__": {"isAdmin": true}, '), {}, 400],
  ['a poisoned prototype in disguise', draft().replace('{', '{"\\u005f_proto__": {}, '), {}, 400],
  ['a poisoned constructor', draft().replace('{', '{"constructor": {"prototype": {}}, '), {}, 400],
  ['a NUL character', draft({ content: 'a\0b' }), {}, 400],
  ['JSON of many levels', draft({ more: JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) }), {}, 400],
  ['missing fields', '{}', {}, 400],
  ['a long message', draft({ content: 'x'.repeat(LIMITS.contentBytes + 1) }), {}, 400],
  ['a body above the limit', draft({ content: 'x'.repeat(LIMITS.bodyBytes) }), {}, 413],
  ['a file that is missing', draft({ fileName: 'a' }), {}, 400],
  ['an envelope of another version', draft({ content: '{"v":2}' }), {}, 400],
  ['another type of content', draft(), { 'content-type': 'text/plain' }, 415],
  ['another origin', draft(), { origin: 'https://evil.example' }, 403],
  ['no session', draft(), { cookie: '' }, 401],
  ['an unknown session', draft(), { cookie: 'conclave_session=unknown' }, 401],
  ['a room that does not exist', draft({ chatRoomId: `room_${randomUUID()}` }), {}, 404],
]
test.each(cases)('%s is refused alike on both ways', async (_what, body, headers, status) => {
  const { short, long } = await postBothWays(alice, body, headers)
  expect(short?.status).toBe(status)
  expect(short).toEqual(long)
})

test('the answer to a message and its headers are the same on both ways', async () => {
  const { short, long } = await postBothWays(alice, draft({ content: 'hello 🥊 "\\' }))
  expect(short?.answered).toMatchObject({ content: 'hello 🥊 "\\', deliveryStatus: 'sent', senderId: alice.id })
  expect(Object.keys(short?.answered ?? {})).toEqual(Object.keys(long?.answered ?? {}))
  expect(messagesApi.send.output.parse(short?.answered)).toEqual(short?.answered)
  expect(short?.headers).toEqual(long?.headers)
  const id = randomUUID()
  const again = await postBothWays(alice, draft({ id }))
  expect(again.short).toEqual(again.long)
})

test('Eve, a stranger, is refused alike on both ways', async () => {
  const { short, long } = await postBothWays(eve, draft())
  expect(short?.status).toBe(404)
  expect(short).toEqual(long)
})

test('a session that ends, a plan that lapses and a device that is taken away count at once, also for whoever has just sent', async () => {
  const [one, two] = [await world.person('one'), await world.person('two')]
  const room = await one.talksTo(two)
  const post = () => one.request('POST', SHORT, { body: draft({ chatRoomId: room }) })
  const look = vi.spyOn(world.env, 'findSession')
  onTestFinished(() => look.mockRestore())
  expect((await post()).status).toBe(200)
  const looked = look.mock.calls.length
  expect((await post()).status).toBe(200)
  expect(look.mock.calls.length).toBe(looked)

  await world.sql("update users set subscription_tier = 'free' where id = $1", [one.id])
  expect(await post()).toBeRefused(403, 'subscription_required')
  await world.sql("update users set subscription_tier = 'premium' where id = $1", [one.id])
  await world.sql('update sessions set proven_at = null where user_id = $1', [one.id])
  one.signer = undefined
  expect(await post()).toBeRefused(403, 'device_required')
  await world.sql('update sessions set proven_at = $2 where user_id = $1', [one.id, world.env.clock()])
  expect((await post()).status).toBe(200)
  await world.sql('delete from sessions where user_id = $1', [one.id])
  expect(await post()).toBeRefused(401, 'not_signed_in')
})

const markCases: [string, string, string, number][] = [
  ['a stranger’s mark', `/api/messages/${chatRoomId}/mark-read`, '{"seq":1}', 404],
  ['a room that does not exist', `/api/messages/room_${randomUUID()}/mark-read`, '{"seq":1}', 404],
  ['a room’s name that has to be decoded', '/api/messages/%2e%2e/mark-delivered', '{"seq":1}', 404],
  ['a seq below zero', `/api/messages/${chatRoomId}/mark-delivered`, '{"seq":-1}', 400],
  ['a delivered mark without a seq', `/api/messages/${chatRoomId}/mark-delivered`, '{}', 400],
]
test.each(markCases)('%s is refused alike on both ways', async (_what, path, body, status) => {
  const answers = await Promise.all(['', '?'].map((query) => eve.request('POST', path + query, { body })))
  expect(answers.map((answer) => answer.status)).toEqual([status, status])
  expect(answers[0]?.body).toEqual(answers[1]?.body)
})

test('a session that ends and a device that is taken away mark nothing any more, also right after a mark', async () => {
  const [one, two] = [await world.person('one'), await world.person('two')]
  const room = await one.talksTo(two)
  for (const text of ['a', 'b', 'c']) await two.says(room, text)
  const mark = (seq: number) => one.request('POST', `/api/messages/${room}/mark-read`, { body: JSON.stringify({ seq }) })
  const look = vi.spyOn(world.env, 'findSession')
  onTestFinished(() => look.mockRestore())
  expect((await mark(1)).status).toBe(200)
  const looked = look.mock.calls.length
  expect((await mark(2)).status).toBe(200)
  expect(look.mock.calls.length).toBe(looked)
  await world.sql('update sessions set proven_at = null where user_id = $1', [one.id])
  one.signer = undefined
  expect(await mark(3)).toBeRefused(403, 'device_required')
  await world.sql('delete from sessions where user_id = $1', [one.id])
  expect(await mark(3)).toBeRefused(401, 'not_signed_in')
  const [marks] = await world.sql('select read_seq::int as read from chat_participants where user_id = $1', [one.id])
  expect(marks).toEqual({ read: 2 })
})

test('a session that only sends still notes its use', async () => {
  const one = await world.person('one')
  const room = await one.talksTo(bob)
  const used = async () =>
    (await world.sql('select last_used_at as at from sessions where user_id = $1', [one.id]))[0]?.['at'] as Date
  await one.says(room, 'x')
  const before = await used()
  world.passes(6 * 60)
  await one.says(room, 'y')
  expect((await used()).getTime()).toBeGreaterThan(before.getTime())
})

test('log and metrics know of both ways', async () => {
  await postBothWays(alice, '{}')
  const counted = metrics
    .text()
    .split('\n')
    .filter((line) => line.includes('/api/messages"') && line.includes('POST'))
  const [refused] = counted.filter((line) => line.includes('invalid_input') && line.includes('_total'))
  expect(Number(refused?.split(' ').at(-1)) % 2).toBe(0)
  expect(world.log()).toContain('"route":"/api/messages"')
})

test('one connection carries the messages of two people, each by their own session, and one without a session none', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const says = (cookie: string | undefined) =>
    new Promise<{ status: number | undefined; port: number | undefined; body: string }>((resolve, reject) => {
      const body = draft()
      const headers = { 'content-type': 'application/json', 'content-length': body.length, ...(cookie && { cookie }) }
      const asked = ask(`${world.url}${SHORT}`, { method: 'POST', agent, headers }, async (answer) => {
        const port = answer.socket.localPort
        resolve({ status: answer.statusCode, port, body: await text(answer) })
      })
      asked.on('error', reject).end(body)
    })
  const answers = [await says(alice.cookie), await says(bob.cookie), await says(undefined), await says(alice.cookie)]
  expect(new Set(answers.map(({ port }) => port)).size).toBe(1)
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 200])
  const senders = answers.map(({ body }) => JSON.parse(body).senderId)
  expect(senders).toEqual([alice.id, bob.id, undefined, alice.id])
})
