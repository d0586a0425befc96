import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { accountStore } from '../client/me/account/accountState.ts'
import { addKit, storedKeys } from '../client/me/account/keys.ts'
import { changePassword } from '../client/me/account/signedOrder.ts'
import { removeBrowser, reopenRooms } from '../client/me/devices/removeBrowser.ts'
import { ApiError, createApi } from '../client/net/api.ts'
import { openBrowser } from '../client/testing/browser.ts'
import { at } from '../client/testing/people.ts'
import { openLive } from '../client/worker/account/openAccount.ts'
import { storeRoom, withRoom } from '../client/worker/group/roomState.ts'
import { openKeyring, rewrapKeyring } from '../client/worker/keys/keyring.ts'
import { type Live, leafDevice } from '../client/worker/keys/live.ts'
import { stretchPassword } from '../client/worker/keys/password.ts'
import { readBook } from '../client/worker/lists/book.ts'
import { sealText } from '../client/worker/lists/sealedbook.ts'
import { sealMessage } from '../client/worker/messages/sealedMessage.ts'
import { hkdf, sealWith, sign } from '../client/worker/primitives/seal.ts'
import { accountApi } from '../contract/account/account.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { archiveApi } from '../contract/chat/archive.ts'
import { messagesApi } from '../contract/chat/messages.ts'
import { fromBase64, toBase64 } from '../contract/ground/bytes.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { directRoomId, type Signed } from '../contract/ground/shapes.ts'
import { startWorld } from '../server/testing/world.ts'
import { newWorld, PATIENCE, seatsOf } from './people.ts'
import { newSomeone, type OpenWire, type Someone } from './someone.ts'
import { type Dice, newDice } from './walk.ts'

// Whatever another browser of the account, a newer build or a contact writes into a document: the owner's account goes on.

const { WALK_STEPS, WALK_SEED } = process.env
/** `npm run test:walks` spoils many accounts with a new seed each time; `npm test` one with a fixed seed. */
const ROUNDS = WALK_STEPS ? Math.ceil(Number(WALK_STEPS) / 100) : 1
const SEED = Number(WALK_SEED ?? (WALK_STEPS ? randomInt(2 ** 31) : 5))

const server = await startWorld()
vi.setConfig({ testTimeout: WALK_STEPS ? 900_000 : 60_000 })
beforeAll(openBrowser)
beforeAll(() => void vi.stubGlobal('location', { origin: server.url }))
afterAll(() => void vi.unstubAllGlobals())

const overHttp: OpenWire = () => {
  let cookie = ''
  return createApi({
    async fetch(path, { method = 'GET', body, headers }) {
      const sent = { ...Object.fromEntries(new Headers(headers)), origin: server.url, cookie }
      const answer = await fetch(server.url + path, { method, headers: sent, ...(body && { body }) })
      for (const line of answer.headers.getSetCookie()) if (line.includes('_session=')) cookie = line.split(';')[0] ?? ''
      return answer
    },
  })
}

/** Most of what may be unknown in a document. */
const UNKNOWN_BYTES = 12 * 1024
/** Levels of what is nested. */
const DEPTH = 3000
const NAMES = ['later', '', 'constructor', 'toString', '__proto__', 'length', 'v2', 'ünïcödé \u0000', 'locks2', 'x'.repeat(300)]

/** JSON of a value of about so many bytes: huge, nested, wide or odd. */
function odd(dice: Dice, bytes: number): string {
  const many = (one: string) => Array.from({ length: Math.max(1, Math.floor(bytes / (one.length + 1))) }, () => one).join(',')
  const depth = Math.min(Math.floor(bytes / 8), DEPTH)
  return dice.pick([
    () => JSON.stringify('x'.repeat(bytes)),
    () => `${'['.repeat(depth)}${many('0')}${']'.repeat(depth)}`,
    () => `${'{"a":'.repeat(depth)}${JSON.stringify('y'.repeat(bytes))}${'}'.repeat(depth)}`,
    () => `[${many('{"n":1e308,"at":-1}')}]`,
    () => `{${Array.from({ length: Math.max(1, Math.floor(bytes / 12)) }, (_, at) => `"k${at}":null`).join(',')}}`,
    () => dice.pick(['null', 'true', '-0', '1e400', '""', '[]', '{}', '"\\u0000"', '9007199254740993']),
  ])()
}

/** Puts unknown fields into some of the objects of a document. It stays as it is otherwise. */
function spoiled(document: unknown, dice: Dice, bytes: number): string {
  let left = bytes
  const takes = (part: number) => {
    const taken = Math.min(left, part)
    left -= taken
    return taken
  }
  const written = (value: unknown, depth: number): string => {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    if (Array.isArray(value)) return `[${value.map((one) => written(one, depth + 1)).join(',')}]`
    const fields = Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => `${JSON.stringify(name)}:${written(one, depth + 1)}`)
    const isKept = depth === 0 || dice.below(2) === 0
    const unknown = isKept ? [`${JSON.stringify(dice.pick(NAMES))}:${odd(dice, takes(dice.below(Math.max(1, bytes))))}`] : []
    return `{${[...fields, ...unknown].join(',')}}`
  }
  return written(document, 0)
}

interface Account {
  alice: Someone
  laptop: Someone
  bob: Someone
  chatRoomId: string
}

const liveOf = async ({ computer, username, env }: Someone): Promise<Live> => {
  const [unlock, { id }] = await Promise.all([env.api(devicesApi.unlock, {}), env.api(accountApi.user, {})])
  return await at(computer, () => openLive(id, unlock, username))
}

/** Does it with ever less rubbish, until the server takes it. Returns whether it took any. */
async function isTaken(bytes: number, puts: (bytes: number) => Promise<unknown>): Promise<boolean> {
  for (let size = bytes; size > 8; size = Math.floor(size / 2)) {
    const refused = await puts(size).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refused === undefined) return true
    if (!(refused instanceof ApiError) || refused.status >= 500) throw refused
  }
  return false
}

/** Loads the page. A book that is none, or holds more than is kept of another browser's, is said once. */
async function comesUp(one: Someone): Promise<void> {
  const failed = await one.comesUp().catch((error: unknown) => error)
  if (failed === undefined) return
  expect(failed).toMatchObject({ code: expect.stringMatching(/^book_(spoiled|ahead)$/) })
  await one.comesUp()
}

type Spoil = (account: Account, dice: Dice, bytes: number) => Promise<void>

/** Another browser of the account writes a book. */
const spoilBook: Spoil = async ({ laptop }, dice, bytes) => {
  await comesUp(laptop)
  const live = await liveOf(laptop)
  const { book } = await readBook(live)
  const history = live.history.at(-1)
  if (!history) throw new Error('No history key')
  const { version } = await laptop.env.api(devicesApi.book, {})
  const taken = await isTaken(bytes, async (size) =>
    laptop.env.api(devicesApi.saveBook, await sealText(live, history, version + 1, spoiled(book, dice, size))),
  )
  expect(taken).toBe(true)
  live.vault.close()
}

/** A build of next year changes the keys: it knows more fields of manifest and keyring. */
const spoilKeys: Spoil = async ({ laptop }, dice, bytes) => {
  await comesUp(laptop)
  expect(await isTaken(bytes, (size) => changesKeys(laptop, (document) => spoiled(document, dice, size)))).toBe(true)
}

/** Changes nothing of the keys but how manifest and keyring are written. */
async function changesKeys({ username, password, env }: Someone, written: (document: object) => string): Promise<void> {
  const { salt } = await env.api(accountApi.salt, { username })
  const { passwordSeed } = await stretchPassword(username, password, fromBase64(salt))
  const keys = await storedKeys(env)
  const opened = await openKeyring(keys.keyring, { kind: 'password', seed: passwordSeed })
  const { identitySeed } = opened.secret
  const next = await rewrapKeyring(opened)
  const manifest = JSON.parse(keys.manifest.content)
  const changed = { ...manifest, version: manifest.version + 1, keyringVersion: next.keyring.version }
  const signed = (label: 'conclave/manifest/v1' | 'conclave/keyring/v1', content: string): Signed => ({
    content,
    signature: toBase64(sign(identitySeed, label, content)),
  })
  await env.api(devicesApi.changeKeys, {
    keyring: signed('conclave/keyring/v1', written(next.keyring)),
    manifest: signed('conclave/manifest/v1', written(changed)),
    historySeals: [],
  })
}

/** A contact's browser seals statements with more in them than this build knows. */
const spoilStatements: Spoil = async ({ bob, alice, chatRoomId }, dice, bytes) => {
  await comesUp(bob)
  await bob.opens(alice)
  const live = await liveOf(bob)
  const peerId =
    chatRoomId
      .split('_')
      .slice(1)
      .find((id) => id !== live.userId) ?? ''
  const kinds = [
    { type: 'text', text: 'spoiled, and still a text' },
    { type: 'vote', on: 1 },
    { type: 'text', text: 7 },
    {},
    null,
  ]
  for (const content of kinds) {
    const sealed = await withRoom(live, chatRoomId, [peerId], async ({ group, record }) => {
      if (!group || !record) throw new Error('Bob is not in the chat')
      const statement = {
        ...{ id: randomUUID(), chatRoomId, sentAt: new Date().toISOString(), replyToId: null, manifests: {} },
        ...{ content, seen: { seq: record.cursor, hash: '' } },
      }
      // The rubbish stands in a text that is sealed as it is.
      const text = spoiled(statement, dice, bytes)
      const made = await sealMessage(group, leafDevice(live), { toJSON: () => JSON.parse(text) } as never)
      await storeRoom(live, chatRoomId, { record, group: made.group })
      return { id: statement.id, content: made.content }
    })
    await bob.env.api(messagesApi.send, { ...sealed, chatRoomId, messageType: 'text' })
  }
  live.vault.close()
}

/** Another browser of the account writes a page of archive keys, where the server takes one. */
const spoilPage: Spoil = async ({ laptop, chatRoomId }, dice, bytes) => {
  await comesUp(laptop)
  const live = await liveOf(laptop)
  const history = live.history.at(-1)
  if (!history) throw new Error('No history key')
  const label = 'conclave/archive-page/v1'
  const key = await hkdf(history.seed, label, chatRoomId, '1')
  await isTaken(bytes, async (size) => {
    const rubbish = Uint8Array.from({ length: size }, () => dice.below(256))
    const sealed = dice.below(2) === 0 ? rubbish : await sealWith(key, label, rubbish, live.identityKey, chatRoomId, '1', '1')
    const page = { chatRoomId, number: 1, version: 1, historyKeyId: history.id, sealed: toBase64(sealed), epochs: [] }
    await laptop.env.api(archiveApi.putPage, page)
  })
  live.vault.close()
}

const DOCUMENTS: Record<string, Spoil> = {
  book: spoilBook,
  'manifest and keyring': spoilKeys,
  statement: spoilStatements,
  page: spoilPage,
}

let names = 0
const TEXTS = ['the first', 'the second', 'the third']

async function newAccount(): Promise<Account> {
  names += 1
  const alice = await newSomeone(overHttp, `alice_${names}`)
  const bob = await newSomeone(overHttp, `bob_${names}`)
  await server.sql("update users set subscription_tier = 'premium'")
  await alice.adds(bob)
  await bob.accepts(alice)
  await alice.says(bob, TEXTS[0] ?? '')
  await bob.says(alice, TEXTS[1] ?? '')
  const laptop = await alice.another()
  await laptop.says(bob, TEXTS[2] ?? '')
  const [hers, his] = await Promise.all([alice, bob].map(({ env }) => env.api(accountApi.user, {})))
  return { alice, laptop, bob, chatRoomId: directRoomId(hers?.id ?? '', his?.id ?? '') }
}

const textsOf = async (one: Someone, other: Someone) => (await one.looksAt(other)).map(([text]) => text)

/** Whatever was written, the owner removes the other browser, changes the password, recovers, and reads and writes everywhere. */
async function goesOn({ alice, laptop, bob }: Account): Promise<void> {
  await comesUp(alice)
  const { deviceId } = await laptop.env.crypto.ownStanding()
  const opener = { kind: 'password' as const, password: alice.password }
  const words = await alice.does(async (env) => {
    const kit = await env.crypto.newKit()
    await addKit(env, opener)
    await removeBrowser(env, opener, deviceId ?? '', { isStolen: true })
    await reopenRooms(env)
    const newPassword = `${alice.password}, and another`
    await changePassword(env, { currentPassword: alice.password, newPassword, confirmNewPassword: newPassword })
    return kit.words.join(' ')
  })
  await alice.says(bob, 'after the change')
  expect(await textsOf(alice, bob)).toEqual(expect.arrayContaining([...TEXTS, 'after the change']))
  const recovered = await alice.recovers(words, 'a third password of hers')
  expect(await textsOf(recovered, bob)).toEqual(expect.arrayContaining([...TEXTS, 'after the change']))
  await recovered.says(bob, 'and I am back')
  expect(await textsOf(bob, recovered)).toEqual(expect.arrayContaining([...TEXTS, 'after the change', 'and I am back']))
  expect(accountStore.getState().phase).toBe('signed_in')
}

const chosen = Object.entries(DOCUMENTS)

test(`Unknown, huge and nested fields in every document take nothing from Alice: she removes that browser, changes her password, recovers, and reads everything (seed ${SEED})`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const dice = newDice(SEED + round)
    const account = await newAccount()
    try {
      for (const [, spoil] of round % 2 === 0 ? chosen : [dice.pick(chosen)]) await spoil(account, dice, UNKNOWN_BYTES)
      await goesOn(account)
    } catch (error) {
      throw new Error(`WALK_SEED=${SEED + round}`, { cause: error })
    }
  }
})

/** Fills a document with one unknown field, to so many characters. */
function filled(document: object, chars: number): string {
  const text = JSON.stringify(document)
  return `${text.slice(0, -1)},"later":"${'x'.repeat(chars - text.length - 11)}"}`
}

/** What is left below the server's limit. */
const LEFT = 40
/** The nonce and the tag of a seal. */
const SEAL_BYTES = 28

test('A book, a manifest and a keyring that another browser has filled to their end take nothing from Alice either', async () => {
  const account = await newAccount()
  const { laptop } = account
  const live = await liveOf(laptop)
  const { book } = await readBook(live)
  const history = live.history.at(-1)
  if (!history) throw new Error('No history key')
  const { version } = await laptop.env.api(devicesApi.book, {})
  const fullest = [LIMITS.bookBytes, (LIMITS.bookBytes * 3) / 4].map((bytes) => filled(book, bytes - SEAL_BYTES - LEFT))
  const taken = await isFirstTaken(fullest, async (text) =>
    laptop.env.api(devicesApi.saveBook, await sealText(live, history, version + 1, text)),
  )
  expect(taken).toBe(true)
  live.vault.close()
  await changesKeys(laptop, (document) => filled(document, LIMITS.bodyBytes - LEFT))
  await goesOn(account)
})

async function isFirstTaken(texts: string[], puts: (text: string) => Promise<unknown>): Promise<boolean> {
  for (const text of texts) {
    const refused = await puts(text).catch((error: unknown) => error)
    if (!(refused instanceof ApiError)) return true
  }
  return false
}

const FRAMES = WALK_STEPS ? 3000 : 300

/** A frame of the server with another type in one place, which no build may take for a frame. */
function broken(frame: object, dice: Dice): string {
  const text = JSON.stringify(frame)
  const places = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false)/g)]
  if (places.length === 0) return text.slice(0, -1)
  const { index, 0: found } = dice.pick(places)
  return `${text.slice(0, index + 1)}${found.startsWith(':"') ? '{"at":[]}' : '"of another type"'}${text.slice(index + found.length)}`
}

test(`Frames with unknown, huge and nested fields, and frames that are none, stop no page: Alice reads and writes on (seed ${SEED})`, async () => {
  const dice = newDice(SEED)
  const { alice, bob } = await newWorld(server)
  const [hers, his] = [seatsOf(alice)[0]?.tab, seatsOf(bob)[0]?.tab]
  if (!hers || !his) throw new Error('Nobody is there')
  await his.accepts()
  for (const tab of [hers, his]) await tab.opensRoom()
  await his.says('before all this')
  await hers.says('and an answer')
  await expect.poll(async () => (await hers.history(0)).length, PATIENCE).toBe(2)
  const real: object[] = hers.frames.map((text) => JSON.parse(text))
  expect(new Set(real.map((frame) => 'type' in frame && frame.type)).size).toBeGreaterThan(3)
  for (let count = 0; count < FRAMES; count++) {
    const frame = dice.pick(real)
    hers.hears(
      dice.pick([
        () => spoiled(frame, dice, dice.pick([10, 1000, 60_000])),
        () => broken(frame, dice),
        () => odd(dice, dice.pick([10, 60_000])),
        () => `{"type":"of next year","data":${odd(dice, 1000)}}`,
      ])(),
    )
  }
  await his.says('after all this')
  await expect.poll(async () => (await hers.history(0)).length, PATIENCE).toBe(3)
  await hers.says('and I am still here')
  await expect.poll(async () => (await his.history(0)).length, PATIENCE).toBe(4)
  const { phase, isLive, outbox } = await hers.state()
  expect({ phase, isLive, outbox, complaints: hers.complaints }).toEqual({
    ...{ phase: 'signed_in', isLive: true, outbox: 0, complaints: [] },
  })
  for (const tab of [hers, his]) tab.close()
})
