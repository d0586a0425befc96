import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { test as base, expect } from 'vitest'
import type { Tier } from '../contract/money/plans.ts'
import { giveTier } from '../server/admin/operator.ts'
import { connect } from '../server/ground/db/connect.ts'
import { runningUrl } from '../server/ground/db/embedded.ts'
import { openCardBeside } from '../server/money/payments/openCard.ts'
import { readConfig } from '../server/settings/config.ts'
import { openBrowser, openContext } from './browser.ts'
import { madeAccount, madeBrowser } from './crowd.ts'
import { movesIn } from './moving.ts'
import { type Person, visitor } from './person.ts'
import { type RunningServer, startServer } from './server.ts'
import type { Account, Visitor } from './visitor.ts'

export const newAccount = (name: string): Account => ({
  username: `${name.toLowerCase()}_${Math.random().toString(36).slice(2, 8)}`,
  password: `${name} ${crypto.randomUUID()}`,
})

let addresses = 0
/** Each person has another IP address, because rate limits count by address. */
const newAddress = (): string => {
  addresses += 1
  return `10.1.${addresses >> 8}.${addresses & 255}`
}

interface Equipment {
  /** Camera, microphone and screen: see `openContext`. */
  hasDevices?: boolean
  /** A system that shows notifications: see `openContext`. */
  isNotified?: boolean
  isFree?: boolean
  /** A browser that is open already. */
  browser?: BrowserContext
}

/** Opens a new browser for a person. With `account` it is the same person at another browser. */
export const person = async (
  server: RunningServer,
  name: string,
  account: Account = newAccount(name),
  equipment: Pick<Equipment, 'hasDevices'> = {},
): Promise<Person> => visitor(server, await openContext(newAddress(), equipment), { ...account, name })

/** As `person`, with the profile in a folder for tests that read its files. `words` are Chromium flags, such as a camera's. */
export async function personWithProfile(
  server: RunningServer,
  name: string,
  { account = newAccount(name), words = [] }: { account?: Account; words?: string[] } = {},
): Promise<Person & { profile: string }> {
  const profile = await mkdtemp(join(tmpdir(), 'conclave-profile-'))
  return { ...(await visitor(server, await openBrowser(profile, words), { ...account, name })), profile }
}

/** Signs the person up on a paid plan. */
export async function joined<P extends Person>(server: RunningServer, one: P): Promise<P> {
  await one.signsUp()
  await givesTier(server, one, 'premium')
  // The page learns of it without a reload.
  await one.hasPlan()
  return one
}

/**
 * A person on a paid plan, or on the free one. The account is made by the product's verbs outside the page and moved into the browser,
 * because a sign-up on the screen takes most of a test's time; `joined` signs up there.
 */
export async function customer(
  server: RunningServer,
  name: string,
  { isFree = false, hasDevices = false, isNotified = false, browser }: Equipment = {},
): Promise<Person> {
  const address = newAddress()
  const account = newAccount(name)
  const moved = await madeAccount(server.url, { ...account, displayName: name, address })
  if (!isFree) await givesTier(server, account, 'premium')
  const one = await visitor(server, browser ?? (await openContext(address, { hasDevices, isNotified })), { ...account, name })
  await movesIn(one, server.url, moved)
  return one
}

/** Another browser of a person, which was added outside the page and moved in: who must sign in on the screen is a `person`. */
export async function anotherBrowser(
  server: RunningServer,
  { name, username, password }: Account & Pick<Person, 'name'>,
  { hasDevices = false }: Pick<Equipment, 'hasDevices'> = {},
): Promise<Person> {
  const address = newAddress()
  const moved = await madeBrowser(server.url, { username, password, address })
  const one = await visitor(server, await openContext(address, { hasDevices }), { name, username, password })
  await movesIn(one, server.url, moved)
  return one
}

/** As `customer`, with the profile in a folder, as `personWithProfile`. */
export async function customerWithProfile(
  server: RunningServer,
  name: string,
  { words = [], isFree = false }: { words?: string[]; isFree?: boolean } = {},
): Promise<Person & { profile: string }> {
  const profile = await mkdtemp(join(tmpdir(), 'conclave-profile-'))
  return { ...(await customer(server, name, { isFree, browser: await openBrowser(profile, words) })), profile }
}

const clock = () => new Date()

/** As `npm run account -- set-tier`, which takes most of a second to start. A page that is open learns of it in the same way. */
export async function givesTier({ dataFolder }: RunningServer, { username }: { username: string }, tier: Tier): Promise<void> {
  const url = await runningUrl(dataFolder, 'conclave')
  if (!url) throw new Error('The server has no database')
  const { db, close } = connect(url)
  const card = await openCardBeside(readConfig(process.env).card, db, clock, () => undefined)
  await giveTier({ db, clock, card }, { username, tier, endDate: undefined }).finally(close)
}

interface Scene {
  /** Alice and Bob. */
  pair: [Person, Person]
  alice: Person
  bob: Person
}

// The server trusts one proxy, so that each person can have another IP address, and asks a push service on this machine.
const SETTINGS = { TRUST_PROXY: '1', OUTBOUND_GUARD: 'off' }

async function serve(use: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer(SETTINGS)
  await use(server)
  await server.stop()
}

/** All files of a worker share one server: what it holds of others is none of a test's business. */
const atServer = base.extend<{ server: RunningServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  server: [async ({}, use) => serve(use), { scope: 'worker' }],
})

/** The tests of a file share one server, which no other file asks: a test may kill it, or reads all that it holds. */
const atOwnServer = base.extend<{ server: RunningServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  server: [async ({}, use) => serve(use), { scope: 'file' }],
})

async function withPerson(
  server: RunningServer,
  name: string,
  use: (one: Person) => Promise<void>,
  equipment: Equipment = {},
): Promise<void> {
  const one = await customer(server, name, equipment)
  await use(one)
  await one.leaves()
  expect(one.complaints).toEqual([])
}

/** Alice and Bob are on a paid plan and not contacts yet. A test that names one of them has no other. */
const withPeople = (at: typeof atServer) =>
  at.extend<Scene>({
    alice: async ({ server }, use) => withPerson(server, 'Alice', use),
    bob: async ({ server }, use) => withPerson(server, 'Bob', use),
    pair: async ({ alice, bob }, use) => use([alice, bob]),
  })

/**
 * Alice and Bob have the open chat before them, the same one in all tests of a file: each test leaves both signed in, online
 * and there.
 */
const withTalking = (at: typeof atServer, equipment: Equipment = {}) =>
  at.extend<Scene>({
    pair: [
      async ({ server }, use) =>
        withPerson(
          server,
          'Alice',
          (alice) =>
            withPerson(server, 'Bob', async (bob) => {
              await startChat(alice, bob)
              await use([alice, bob])
            }),
          equipment,
        ),
      { scope: 'file' },
    ],
    alice: async ({ pair: [alice] }, use) => use(alice),
    bob: async ({ pair: [, bob] }, use) => use(bob),
  })

export const test = withPeople(atServer)
export const testAtOwnServer = withPeople(atOwnServer)
export const talking = withTalking(atServer)
/** Alice's system shows notifications. */
export const talkingNotified = withTalking(atServer, { isNotified: true })
export const talkingAtOwnServer = withTalking(atOwnServer)

/** Alice adds Bob, he accepts, and both open the chat. */
export async function startChat(alice: Visitor, bob: Visitor): Promise<void> {
  await alice.adds(bob)
  await bob.accepts(alice)
  await alice.opens(bob)
  await bob.opens(alice)
}

/** Sends plain text messages as a person by the HTTP API, the fastest way to a long chat. */
export async function chatters(one: Person, texts: string[]): Promise<void> {
  const chatRoomId = one.page.url().split('/chat/')[1] ?? ''
  await one.page.evaluate(
    async ([room, contents]) => {
      for (const content of contents) {
        const body = JSON.stringify({ id: crypto.randomUUID(), chatRoomId: room, content, messageType: 'text' })
        await fetch('/api/messages', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      }
    },
    [chatRoomId, texts] as const,
  )
}
