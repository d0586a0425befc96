import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { accountApi } from '../contract/account/account.ts'
import { recoveryApi } from '../contract/account/recovery.ts'
import { contactsApi } from '../contract/chat/contacts.ts'
import { messagesApi } from '../contract/chat/messages.ts'
import { everyEndpoint } from '../contract/every.ts'
import { clientFrame } from '../contract/frames.ts'
import type { Endpoint } from '../contract/ground/endpoint.ts'
import { newDeviceId, newIdentity, signedKeys } from './testing/keys.ts'
import { startWorld } from './testing/world.ts'

// Replaces every text of the schema library. It must not occur in any response.
const LIBRARY = 'the-library-speaks'
z.config({ localeError: () => LIBRARY })

const world = await startWorld()
const { alice, bob } = await world.people()
const chatRoomId = await alice.talksTo(bob)

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}

/** Builds an input with `value` at one place, and around it only the objects that lead there. */
type Build = (value: unknown) => unknown

/** Returns every place in a shape where an invalid value can be, the shape itself included. */
function placesOf(schema: Schema, build: Build): Build[] {
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      placesOf(each, (value) => build({ ...constantsOf(schema), [name]: value })),
    ),
    ...(schema.items ? placesOf(schema.items, (value) => build([value])) : []),
    ...(schema.additionalProperties ? placesOf(schema.additionalProperties, (value) => build({ x: value })) : []),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((each) => placesOf(each, build)),
  ]
  return [build, ...below]
}

/** Returns the constants by which the shapes of a union differ, such as a frame's type. */
const constantsOf = ({ properties = {} }: Schema) =>
  Object.fromEntries(Object.entries(properties).flatMap(([name, each]) => ('const' in each ? [[name, each.const]] : [])))

const schemaOf = (shape: z.ZodType): Schema => z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Schema
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const ODD: unknown[] = [
  undefined,
  null,
  -1,
  1.5,
  2 ** 53,
  '',
  ' ',
  'x',
  'NaN',
  'a'.repeat(20_000),
  [],
  Array(500).fill('x'),
  {},
  true,
]

beforeEach(async () => {
  // The calls include the one that signs her out.
  await alice.returns()
})

test.each(everyEndpoint.map((each) => [nameOf(each), each] as const))(
  'whatever is wrong with %s is said in words of ours',
  async (_name, endpoint) => {
    const places = placesOf(schemaOf(endpoint.input), (value) => value)
    const inputs = [{}, ...places.flatMap((build) => ODD.map(build)).filter(isObject)]
    const answers = await Promise.all(inputs.map((input) => alice.tries(endpoint, input)))
    const texts = answers.map(({ body }, at) => `${JSON.stringify(body)} to ${JSON.stringify(inputs[at])?.slice(0, 200)}`)
    expect(texts.filter((each) => each.includes(LIBRARY))).toEqual([])
    expect(answers.filter(({ status, code }) => status >= 500 && code !== 'prices_unavailable')).toEqual([])
  },
)

test('whatever is wrong with a frame is said in words of ours', async () => {
  const frames = placesOf(schemaOf(clientFrame), (value) => value).flatMap((build) => ODD.map(build))
  const texts = frames.map((frame) => JSON.stringify(frame) ?? '')
  expect(texts.length).toBeGreaterThan(100)
  // A socket may send five pings a second, the last one included.
  for (let at = 0; at < texts.length; at += 4) {
    const line = await alice.opensSocket()
    for (const text of texts.slice(at, at + 4)) line.says(text)
    line.says({ type: 'ping', data: {} })
    await line.hears('pong')
    expect(JSON.stringify(line.frames)).not.toContain(LIBRARY)
    line.hangsUp()
  }
})

const nobody = { username: 'nobody', displayName: 'Nobody', password: 'secret', confirmPassword: 'secret' }
const change = { currentPassword: 'secret', newPassword: 'secret2', confirmNewPassword: 'secret2' }
const NO_TEXT = [undefined, null, '', 7, true, [], {}]

const WRONG: [Endpoint, field: string, rest: Record<string, unknown>, wrong: unknown[], words: string][] = [
  [accountApi.login, 'username', { password: 'secret' }, [...NO_TEXT, ' '], 'Username is required'],
  [accountApi.login, 'password', { username: 'nobody' }, NO_TEXT, 'Password is required'],
  [accountApi.login, 'username', { password: 'secret' }, ['x'.repeat(31)], 'Username must be at most 30 characters'],
  [accountApi.login, 'password', { username: 'nobody' }, ['x'.repeat(101)], 'Password must be at most 100 characters'],
  [accountApi.salt, 'username', {}, NO_TEXT, 'Username is required'],
  [recoveryApi.loginByKit, 'username', { kitSecret: 'x' }, NO_TEXT, 'Username is required'],
  [recoveryApi.loginByKit, 'kitSecret', { username: 'nobody' }, [undefined, null, 7], 'Kit secret is required'],
  [accountApi.register, 'username', nobody, [undefined, null, 7, []], 'Username is required'],
  [accountApi.register, 'username', nobody, ['', 'ab'], 'Username must be at least 3 characters'],
  [accountApi.register, 'username', nobody, ['a b c'], 'Username can only contain letters, numbers, and underscores'],
  [accountApi.register, 'displayName', nobody, [...NO_TEXT, ' ', '\u200b'], 'Display name is required'],
  [accountApi.register, 'password', nobody, [undefined, null, 7], 'Password is required'],
  [accountApi.register, 'password', nobody, ['', 'short'], 'Password must be at least 6 characters'],
  [accountApi.register, 'confirmPassword', nobody, [...NO_TEXT, 'other words'], "Passwords don't match"],
  [accountApi.changePassword, 'currentPassword', change, NO_TEXT, 'Current password is required'],
  [accountApi.changePassword, 'newPassword', change, [undefined, null, 7], 'New password is required'],
  [accountApi.changePassword, 'newPassword', change, ['', 'short'], 'New password must be at least 6 characters'],
  [accountApi.changePassword, 'confirmNewPassword', change, [...NO_TEXT, 'other words'], "New passwords don't match"],
  [accountApi.remove, 'password', {}, NO_TEXT, 'Password is required'],
  [contactsApi.add, 'username', {}, [null, '', ' ', 7, []], 'Username is required'],
  [contactsApi.add, 'onionAddress', {}, [null, '', ' ', 7, []], 'Onion address is required'],
  [contactsApi.accept, 'contactId', {}, ['x', 'null', '7', ' '], 'Contact ID is required'],
  [contactsApi.decline, 'contactId', {}, ['x', 'null', '7', ' '], 'Contact ID is required'],
  [messagesApi.send, 'content', { chatRoomId, messageType: 'text' }, [undefined, null, 7], 'Content is required'],
  [messagesApi.send, 'content', { chatRoomId, messageType: 'text' }, ['', '  '], 'A message cannot be empty'],
  [messagesApi.send, 'chatRoomId', { content: 'x', messageType: 'text' }, [undefined, null, 7], 'Chat room ID is required'],
  [messagesApi.send, 'chatRoomId', { content: 'x', messageType: 'text' }, ['', 'dm_x'], 'Chat room ID is not valid'],
  [messagesApi.send, 'messageType', { chatRoomId, content: 'x' }, [undefined, null], 'Message type is required'],
  [
    messagesApi.send,
    'messageType',
    { chatRoomId, content: 'x' },
    ['poll', 7, '', []],
    'Message type must be text, image, file, or audio',
  ],
  [messagesApi.list, 'limit', { chatRoomId }, ['NaN', 'x'], 'Limit must be a number'],
  [messagesApi.list, 'limit', { chatRoomId }, [1000], 'Limit must be at most 100'],
  [messagesApi.list, 'limit', { chatRoomId }, [0], 'Limit must be at least 1'],
  [messagesApi.list, 'chatRoomId', {}, [undefined], 'Chat room ID is required'],
  [messagesApi.markDelivered, 'seq', { chatRoomId }, ['x', true, []], 'Seq must be a number'],
  [accountApi.logout, 'removeKeys', {}, [null], 'Remove keys is required'],
  [accountApi.logout, 'removeKeys', {}, ['yes', 1], 'Remove keys must be true or false'],
]

test.each(
  WRONG.map(([endpoint, field, rest, wrong, words]) => [nameOf(endpoint), field, words, { endpoint, rest, wrong }] as const),
)('%s answers a wrong %s with "%s"', async (_name, field, words, { endpoint, rest, wrong }) => {
  for (const value of wrong) {
    const answer = await alice.tries(endpoint, { ...rest, [field]: value })
    expect(answer, String(JSON.stringify(value))).toBeRefused(400, 'invalid_input')
    expect(answer.body, String(JSON.stringify(value))).toMatchObject({ error: words })
  }
})

test('a request without a body is answered by what is missing', async () => {
  expect(await alice.request('POST', '/api/login')).toBeRefused(400, 'invalid_input')
  expect((await alice.request('POST', '/api/login')).body).toMatchObject({ error: 'Username is required' })
  expect((await alice.request('POST', '/api/contacts')).body).toMatchObject({ error: 'Send a username or an onion address' })
})

test('what a signed document lacks is said in words of ours too', async () => {
  const deviceId = newDeviceId()
  const keys = signedKeys(newIdentity(deviceId), deviceId)
  for (const content of ['{}', '{"v":2}', '[]', '{"v":1,"version":"x","identityKey":7}']) {
    const { status, body } = await alice.tries(accountApi.register, {
      ...{ ...nobody, kdf: 1, password: alice.authSecret, confirmPassword: alice.authSecret },
      keys: { ...keys, keyring: { ...keys.keyring, content } },
    })
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('The signed document is not valid: ')])
    expect(JSON.stringify(body)).not.toContain(LIBRARY)
  }
})

test('a frame is told what it lacks by the same words as a request', async () => {
  const line = await alice.opensSocket()
  const cases: [unknown, string][] = [
    [{ type: 'message', data: { content: 'x', messageType: 'text' } }, 'Chat room ID is required'],
    [{ type: 'message', data: { chatRoomId, messageType: 'text' } }, 'Content is required'],
    [{ type: 'typing', data: { chatRoomId, isTyping: 'yes' } }, 'Is typing must be true or false'],
    [{ type: 'typing' }, 'The frame is not valid'],
    [{ type: 'nope', data: {} }, 'The frame is not valid'],
  ]
  for (const [frame, words] of cases) {
    line.says(frame)
    expect((await line.hears('refused')).data.error).toBe(words)
  }
  line.hangsUp()
})

test('who is not signed in is told so, and a sender in words of its own', async () => {
  const stranger = world.stranger()
  expect((await stranger.tries(messagesApi.send, {})).body).toEqual({
    error: 'You must be logged in to send messages',
    code: 'not_signed_in',
  })
  expect((await stranger.tries(contactsApi.list, {})).body).toEqual({ error: 'Not signed in', code: 'not_signed_in' })
})
