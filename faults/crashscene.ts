import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { directRoomId } from '../contract/ground/shapes.ts'
import { type HeadlessUser, headlessUser, madeAccount } from '../e2e/crowd.ts'
import { movesIn } from '../e2e/moving.ts'
import { keptDrafts } from '../e2e/person.ts'
import { type LyingProxy, startProxy } from '../e2e/proxy.ts'
import { type RunningServer, startServer } from '../e2e/server.ts'
import { atDatabase } from '../e2e/tables.ts'
import { openRun } from '../server/testing/run.ts'
import type { Dice } from '../walks/walk.ts'
import { pause } from './clients.ts'
import { type OpenProfile, openProfile } from './profile.ts'

/** Alice at a real browser with two tabs, which is killed again and again, and Bob, whose client runs in this process. */
export interface Scene {
  server: RunningServer
  proxy: LyingProxy
  bob: HeadlessUser
  alice: { id: string; username: string }
  chatRoomId: string
  profile: string
  /** The browser that runs now. */
  open: OpenProfile
  dice: Dice
  /** The texts of both, those of which it is certain that they arrive, and those that Bob has. */
  written: Map<string, { isSure: boolean; isSeen?: boolean }>
  /** The files that Alice has chosen, by their names. */
  files: Map<string, { sha256: string; isSure: boolean; isChecked?: boolean }>
  /** What stood in the composer, kept on disk, when the browser was killed. */
  draft: string | undefined
  numbers: number
}

export const PASSWORD = 'our own secret'
export const ACCOUNT_PASSWORD = 'the password of Alice'
const PATIENCE_MS = 30_000
const YEAR_SECONDS = 365 * 86_400

/** Waits until this is so. Throws what was waited for. */
export async function until(what: string, isSo: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`It did not come: ${what}`)
    await pause(50)
  }
}

/** `folder` gets the profile of Alice's browser; a new one by default. */
export async function newScene(dice: Dice, folder = tmpdir()): Promise<Scene> {
  const proxy = await startProxy()
  const server = await startServer({ TRUST_PROXY: '1', LOG_LEVEL: 'error', PUBLIC_URL: proxy.url })
  proxy.leadsTo(server.url)
  const bob = await headlessUser(proxy.url, 'bob')
  const alice = { username: `alice_${Date.now().toString(36)}`, displayName: 'Alice', password: ACCOUNT_PASSWORD }
  const moved = await madeAccount(proxy.url, { ...alice, address: '10.0.9.9' })
  await atDatabase(server.dataFolder, (client) => client.query("update users set subscription_tier = 'premium'"))
  await bob.adds(alice.username)
  const profile = await mkdtemp(path.join(folder, 'conclave-profile-'))
  const open = await openProfile(profile)
  const [page] = open.tabs
  await movesIn({ context: open.context, page }, proxy.url, moved)
  // A session's cookie as the server sets it: the browser keeps it on disk.
  const cookies = await open.context.cookies()
  await open.context.addCookies(cookies.map((cookie) => ({ ...cookie, expires: Date.now() / 1000 + YEAR_SECONDS })))
  await page.locator('button', { hasText: 'Accept' }).click()
  await page.locator('button', { hasText: 'Accept' }).waitFor({ state: 'detached' })
  // Cookies and the local storage reach the disk seconds later, or when the browser is closed.
  await open.close()
  const chatRoomId = directRoomId(moved.user.id, bob.userId)
  const scene: Scene = {
    ...{ server, proxy, bob, chatRoomId, profile, dice, alice: moved.user, open: await openProfile(profile) },
    ...{ written: new Map(), files: new Map(), draft: undefined, numbers: 0 },
  }
  await goesToChat(scene)
  return scene
}

export async function closeScene({ open, proxy, server }: Scene): Promise<void> {
  await open.close().catch(() => undefined)
  await server.stop()
  await proxy.stop()
}

/** Starts the browser again after a kill. Returns whether it has deleted its databases, so that Alice had to sign in again. */
export async function comesBack(scene: Scene): Promise<boolean> {
  scene.open = await openProfile(scene.profile)
  await goesToChat(scene)
  if ((await standingOf(scene.open.tabs[0])) !== 'gone') return false
  if (!scene.open.hasDeleted())
    throw new Error('The keys are gone, and the browser does not say that it has deleted its databases')
  leavesInDoubt(scene)
  return await signsInAgain(scene)
}

/** What Alice has typed or chosen since all was checked, the lost databases alone had for certain. */
function leavesInDoubt(scene: Scene): void {
  scene.draft = undefined
  for (const [text, mark] of scene.written) if (text.startsWith('Alice') && !mark.isSeen) mark.isSure = false
  for (const file of scene.files.values()) if (!file.isChecked) file.isSure = false
}

/** Where the browser's databases are gone the page says so: Alice signs in, and adds the browser. Returns whether she had to. */
export async function signsInAgain(scene: Scene): Promise<boolean> {
  const [page] = scene.open.tabs
  if ((await standingOf(page)) !== 'gone') return false
  await page.goto(`${scene.proxy.url}/auth`)
  await page.getByRole('tab', { name: 'Sign In' }).click()
  await page.getByLabel('Username', { exact: true }).fill(scene.alice.username)
  await page.getByLabel('Password', { exact: true }).fill(ACCOUNT_PASSWORD)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.getByRole('button', { name: 'Add this browser' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await goesToChat(scene)
  return true
}

async function goesToChat({ open, proxy, chatRoomId }: Scene): Promise<void> {
  await Promise.all(open.tabs.map((page) => page.goto(`${proxy.url}/chat/${chatRoomId}`)))
  await Promise.all(open.tabs.map(standingOf))
}

const STANDINGS = {
  open: 'textarea[aria-label="Message"]:not([disabled])',
  shut: 'Password Protected',
  interrupted: 'interrupted',
  gone: 'keys are gone',
}

/** Whether the chat is open, locked, or was interrupted while it was to be locked, or the browser has no keys any more. */
export async function standingOf(page: Page): Promise<keyof typeof STANDINGS> {
  const found = await page.waitForFunction(({ open, shut, interrupted, gone }) => {
    const words = document.querySelector('main, [role=main], body')?.textContent ?? ''
    if (words.includes(interrupted)) return 'interrupted'
    if (words.includes(shut)) return 'shut'
    if (words.includes(gone)) return 'gone'
    return document.querySelector(open) ? 'open' : undefined
  }, STANDINGS)
  return (await found.jsonValue()) ?? 'open'
}

export const fieldOf = (page: Page) => page.getByLabel('Message', { exact: true })

export function newText(scene: Scene, who: string, isSure: boolean): string {
  scene.numbers += 1
  const text = `${who} says number ${scene.numbers}.`
  scene.written.set(text, { isSure })
  return text
}

/** Types, and waits until the browser has it on disk. */
export async function types(scene: Scene, page: Page, text: string): Promise<void> {
  const before = await page.evaluate(keptDrafts)
  await fieldOf(page).fill(text)
  await until('the draft on disk', async () => (await page.evaluate(keptDrafts)).some((kept) => !before.includes(kept)))
  scene.draft = text
}

export const bobSays = (scene: Scene): Promise<void> => scene.bob.says(scene.alice.username, [newText(scene, 'Bob', true)])

/** For a failure: what stands on the screens, and where a copy of the profile stays when all else of the run is removed. */
export async function keepsFailed({ open, profile }: Scene): Promise<string> {
  const words = (page: Page) => page.evaluate(() => document.querySelector('#root')?.textContent ?? document.body.textContent)
  const shown = await Promise.all(open.tabs.map((page) => words(page).catch(() => '(the tab is gone)')))
  // A browser that is closed writes on.
  await open.kill().catch(() => undefined)
  const { folder } = await openRun()
  const kept = path.join(path.dirname(folder), `failed-${path.basename(profile)}`)
  await cp(profile, kept, { recursive: true })
  return [...shown.map((text) => `A tab says: ${text.slice(0, 1500)}`), `The profile is kept in ${kept}`].join('\n')
}
