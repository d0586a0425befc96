import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { test as base, expect } from 'vitest'
import { openBrowser } from './browser.ts'
import { type RunningServer, startServer } from './server.ts'

/** A person at a real browser. Each verb does what the person does on the screen, and waits until it shows. */
export interface Person {
  name: string
  username: string
  password: string
  page: Page
  /** What the page complained of: none is expected. */
  complaints: string[]
  context: BrowserContext
  /** The folder of the browser's profile. */
  profile: string
  signsUp(): Promise<void>
  signsIn(): Promise<void>
  adds(other: Person): Promise<void>
  accepts(other: Person): Promise<void>
  opens(other: Person): Promise<void>
  says(text: string): Promise<void>
  /** Waits until a bubble on the screen says it. */
  reads(text: string): Promise<void>
  /** Texts of the bubbles on screen, top to bottom. */
  shows(): Promise<string[]>
  /** Waits until the own bubble's tick says it. */
  seesTick(text: string, tick: 'Sent' | 'Delivered' | 'Read'): Promise<void>
  goesOffline(): Promise<void>
  comesBack(): Promise<void>
  reloads(): Promise<void>
  leaves(): Promise<void>
}

const PATIENCE_MS = 20_000

const newAccount = (name: string) => ({
  username: `${name.toLowerCase()}_${Math.random().toString(36).slice(2, 8)}`,
  password: `${name} ${crypto.randomUUID()}`,
})

/** Someone at a new browser; with `account` the same person at another one. `words`: for the browser, such as a camera. */
export async function person(
  server: RunningServer,
  name: string,
  account: { username: string; password: string } = newAccount(name),
  words: string[] = [],
): Promise<Person> {
  const profile = await mkdtemp(join(tmpdir(), 'conclave-profile-'))
  return { ...(await visitor(server, await openBrowser(profile, words), { ...account, name })), profile }
}

/** Someone at a window that is open already. */
export async function visitor(
  server: RunningServer,
  context: BrowserContext,
  { name, username, password }: { name: string; username: string; password: string },
): Promise<Omit<Person, 'profile'>> {
  const page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  // A refused request is part of many tests; a broken page or a broken Content-Security-Policy of none.
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^(Failed to load resource|WebSocket connection)/.test(message.text()))
      complaints.push(message.text())
  })
  const bubble = (text: string) => page.locator('.bub', { hasText: text }).last()

  return {
    name,
    username,
    password,
    page,
    complaints,
    context,
    async signsUp() {
      await page.goto(server.url)
      await page.getByLabel(/^Username/).fill(username)
      await page.getByLabel(/^Display name/).fill(name)
      await page.getByLabel(/^Password/).fill(password)
      await page.getByLabel(/^Repeat password/).fill(password)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('button', { name: 'Skip for now' }).click()
      await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
    },
    async signsIn() {
      await page.goto(server.url)
      await page.getByRole('tab', { name: 'Sign In' }).click()
      await page.getByLabel(/^Username/).fill(username)
      await page.getByLabel(/^Password/).fill(password)
      await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    },
    async adds(other) {
      await page.getByRole('button', { name: 'Add by Username/Onion' }).click()
      await page.getByLabel('Username or onion address').fill(other.username)
      await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).click()
      await page.locator('.row', { hasText: other.name }).first().waitFor()
    },
    async accepts() {
      await page.getByRole('button', { name: /^Accept/ }).click()
    },
    async opens(other) {
      await page.locator('a.row, .row a', { hasText: other.name }).first().click()
      await page.getByLabel('Message', { exact: true }).waitFor()
    },
    async says(text) {
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await bubble(text).waitFor()
    },
    async reads(text) {
      await bubble(text).waitFor()
    },
    shows: () =>
      page
        .locator('.bub p')
        .evaluateAll((bubbles) =>
          bubbles.map((bubble) =>
            [...bubble.childNodes]
              .map((part) => (part instanceof Element && part.matches('.meta') ? '' : part.textContent))
              .join(''),
          ),
        ),
    async seesTick(text, tick) {
      await page.locator('.msg', { hasText: text }).last().getByText(tick, { exact: true }).waitFor({ state: 'attached' })
    },
    goesOffline: () => context.setOffline(true),
    comesBack: () => context.setOffline(false),
    async reloads() {
      await page.reload()
      await page
        .getByRole('button', { name: 'Add by Username/Onion' })
        .or(page.getByRole('button', { name: 'Back to contacts' }))
        .first()
        .waitFor()
    },
    leaves: () => context.close(),
  }
}

interface Town {
  server: RunningServer
  /** Alice and Bob, who come at the same time: most of a test is waiting for them. */
  pair: [Person, Person]
  alice: Person
  bob: Person
}

/** Somebody who has just signed up, and pays. `words`: for the browser, such as a camera. */
export async function customer(server: RunningServer, name: string, words: string[] = []): Promise<Person> {
  const one = await person(server, name, undefined, words)
  await one.signsUp()
  await server.account('set-tier', one.username, 'premium')
  await one.reloads()
  return one
}

/** Alice and Bob have just signed up and pay; they do not know each other yet. Each test gets a server of its own. */
export const test = base.extend<Town>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  server: async ({}, use) => {
    const server = await startServer()
    await use(server)
    await server.stop()
  },
  pair: async ({ server }, use) => {
    const pair = await Promise.all([customer(server, 'Alice'), customer(server, 'Bob')])
    await use(pair)
    await Promise.all(pair.map((one) => one.leaves()))
    for (const { complaints } of pair) expect(complaints).toEqual([])
  },
  alice: async ({ pair: [alice] }, use) => use(alice),
  bob: async ({ pair: [, bob] }, use) => use(bob),
})

/** Alice adds Bob, he accepts, and both have the conversation open. */
export async function conversation(alice: Person, bob: Person): Promise<void> {
  await alice.adds(bob)
  await bob.page.locator('.row', { hasText: alice.name }).first().waitFor()
  await bob.accepts(alice)
  await alice.opens(bob)
  await bob.opens(alice)
}
