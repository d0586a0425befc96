import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { accountApi } from '../contract/account/account.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { passkeysApi } from '../contract/account/passkeys.ts'
import { sessionsApi } from '../contract/account/sessions.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { everyEndpoint } from '../contract/every.ts'
import { fromBase64, toBase64 } from '../contract/ground/bytes.ts'
import type { Endpoint } from '../contract/ground/endpoint.ts'
import { deriveAuthSecret } from '../server/identity/password/password.ts'
import type { Browser } from '../server/testing/browser.ts'
import { startWorld } from '../server/testing/world.ts'
import { newBrowser, type Tab } from './browser.ts'
import { newWorld, PATIENCE, seatsOf } from './people.ts'
import { type Dice, type Verb, walk } from './walk.ts'

const { WALK_STEPS, WALK_SEED } = process.env
/** `npm run test:walks` takes many steps with a new seed each time; `npm test` takes few with a fixed seed. */
const STEPS = Number(WALK_STEPS ?? 50)
const SEED = Number(WALK_SEED ?? (WALK_STEPS ? randomInt(2 ** 31) : 11))

const server = await startWorld()

/** An attacker with the password and all data that it gives access to: ids, signed documents, valid texts. */
interface Thief {
  browser: Browser
  signsIn: () => Promise<void>
  /** Valid values by field name. Other fields get odd values. */
  known: Record<string, unknown[]>
  /** The bodies of the server's answers, as JSON. */
  answers: string[]
}

const ODD: unknown[] = ['', 'x', 0, 1, -1, 2 ** 31, true, null, [], {}]

/** Returns a value for a field: often a known one of that name, else one of the right type, rarely an odd one. */
function made(shape: z.core.JSONSchema.BaseSchema, name: string, thief: Thief, dice: Dice): unknown {
  if (dice.below(20) === 0) return dice.pick(ODD)
  const fitting = thief.known[name]
  if (fitting && dice.below(4) > 0) return dice.pick(fitting)
  if (shape.anyOf?.[0] && typeof shape.anyOf[0] === 'object') return made(shape.anyOf[0], name, thief, dice)
  if (shape.type === 'object') return objectOf(shape, thief, dice)
  if (shape.type === 'array') {
    const { items } = shape
    if (typeof items !== 'object' || Array.isArray(items)) return []
    return Array.from({ length: dice.below(3) }, () => made(items, name, thief, dice))
  }
  if (shape.type === 'integer' || shape.type === 'number') return dice.below(5)
  if (shape.type === 'boolean') return dice.below(2) === 1
  return (
    shape.const ?? shape.enum?.[0] ?? toBase64(Uint8Array.from({ length: dice.pick([16, 32, 48, 64]) }, () => dice.below(256)))
  )
}

function objectOf(shape: z.core.JSONSchema.BaseSchema, thief: Thief, dice: Dice): Record<string, unknown> {
  const fields = Object.entries(shape.properties ?? {}).flatMap(([name, part]) => {
    const isThere = shape.required?.includes(name) || dice.below(2) === 0
    return isThere && typeof part === 'object' ? [[name, made(part, name, thief, dice)]] : []
  })
  return Object.fromEntries(fields)
}

const eve = { name: 'Eve' }

/**
 * What would cost Alice the account or her browsers, or give away what is sealed: Eve tries these often, so that a few steps reach
 * them with valid fields.
 */
const DEAREST: Endpoint[] = [
  accountApi.remove,
  accountApi.changePassword,
  passkeysApi.add,
  passkeysApi.setBiometric,
  devicesApi.saveBook,
  devicesApi.book,
  sessionsApi.endOthers,
  roomsApi.log,
]

/** Every call of the API, made by Eve. */
const verbs: Record<string, Verb<Thief>> = Object.fromEntries(
  everyEndpoint.map((endpoint: Endpoint) => {
    const shape = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })
    const calls = async (thief: Thief, dice: Dice) => {
      const input = made(shape, '', thief, dice)
      const answer = await thief.browser.tries(endpoint, typeof input === 'object' ? { ...input } : {})
      expect(answer.status, `${endpoint.method} ${endpoint.path}`).toBeLessThan(500)
      thief.answers.push(JSON.stringify(answer.body) ?? '')
      if (answer.status === 401) await thief.signsIn()
    }
    const weight = DEAREST.includes(endpoint) ? 20 : endpoint.method === 'GET' ? 1 : 2
    const verb: Verb<Thief> = { weight, now: (thief) => [{ busy: [eve], does: (dice) => calls(thief, dice) }] }
    return [`${endpoint.method} ${endpoint.path}`, verb]
  }),
)

/** What the server keeps sealed of these people, as it stands inside JSON. */
async function sealedTexts(): Promise<string[]> {
  const rows = await server.sql(`
    select content as sealed from messages union all select commit from room_commits union all select sealed from archive_keys
    union all select group_info from room_groups union all select sealed from books`)
  return rows.map(({ sealed }) => JSON.stringify(sealed).slice(1, -1))
}

async function textsAt(tab: Tab): Promise<string[]> {
  await tab.opensRoom()
  const messages = await tab.history(0)
  return messages.flatMap(({ body }) => (body.kind === 'content' && 'text' in body.content ? [String(body.content.text)] : []))
}

test(
  'Eve has the password of an account that needs its kit, and calls whatever there is: she gets nothing sealed, ends no session, and its owner reads everything',
  async () => {
    const { alice, bob, chatRoomId } = await newWorld(server)
    const [hers, his] = [seatsOf(alice)[0]?.tab, seatsOf(bob)[0]?.tab]
    if (!hers || !his) throw new Error('Nobody is there')
    await his.accepts()
    const texts = ['the first', 'the second', 'the third']
    for (const [at, text] of texts.entries()) await (at % 2 === 0 ? hers : his).says(text)
    await expect.poll(() => textsAt(hers), PATIENCE).toEqual(texts)
    const words = await hers.needsKit(alice.password)

    const browser = server.stranger()
    const { salt } = await browser.does(accountApi.salt, { username: alice.username })
    const authSecret = await deriveAuthSecret(alice.username, fromBase64(salt), alice.password)
    const deviceId = seatsOf(alice)[0]?.device.deviceId ?? ''
    const signsIn = async () => {
      await browser.does(accountApi.login, { username: alice.username, password: authSecret, kdf: 1, deviceId })
    }
    await signsIn()
    const { keyring, manifest } = await browser.does(devicesApi.keys, {})
    const thief: Thief = {
      ...{ browser, signsIn, answers: [] },
      known: {
        username: [alice.username, bob.username],
        ...{ password: [authSecret], currentPassword: [authSecret], kdf: [1], deviceId: [deviceId] },
        ...Object.fromEntries(['newPassword', 'confirmNewPassword'].map((name) => [name, ['a'.repeat(43)]])),
        ...{ confirmPassword: [authSecret], chatRoomId: [chatRoomId], userId: [alice.userId, bob.userId] },
        ...{ keyring: [keyring], manifest: [manifest], removeKeys: [true], messageType: ['text'], content: ['from Eve'] },
        enabled: [true, false],
        ...{ version: [1, 2, 3], historyKeyId: [1, 2], seq: [1, 2, 3], afterSeq: [0], generation: [1, 2], epoch: [0, 1, 2] },
      },
    }
    await walk({ seed: SEED, steps: STEPS, verbs, world: thief, settle: async () => undefined })
    const sealed = await sealedTexts()
    expect(sealed.length).toBeGreaterThan(texts.length)
    expect(sealed.filter((text) => thief.answers.some((answer) => answer.includes(text)))).toEqual([])

    // Alice reloads the browser that she has, and signs in at a new one with her password and her kit.
    hers.close()
    const again = await seatsOf(alice)[0]?.device.browser.opensTab()
    const other = await newBrowser(server.url).opensTab()
    try {
      if (!again) throw new Error('The browser is gone')
      await again.starts()
      expect(await again.state()).toMatchObject({ phase: 'signed_in', user: { id: alice.userId } })
      await expect.poll(() => textsAt(again), PATIENCE).toEqual(texts)
      await other.joinsByKit({ ...alice, words })
      await expect.poll(async () => (await other.state()).row !== undefined, PATIENCE).toBe(true)
      await expect.poll(() => textsAt(other), PATIENCE).toEqual(texts)
      await other.says('the last')
      await expect.poll(() => textsAt(his), PATIENCE).toEqual([...texts, 'the last'])
    } finally {
      for (const tab of [again, other, his]) tab?.close()
    }
  },
  240_000 + STEPS * 1000,
)
