import { createHash, randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { atDatabase } from '../e2e/tables.ts'
import { updated } from '../e2e/update.ts'
import { ACCOUNT_PASSWORD, bobSays, fieldOf, newText, PASSWORD, type Scene, standingOf, types, until } from './crashscene.ts'

/** What Alice is at when her browser is killed. */
export interface CrashAct {
  /** Before anything is killed. */
  prepares?(scene: Scene, page: Page): Promise<void>
  /** The browser is killed in the middle of it, so it fails. */
  begins(scene: Scene, page: Page): Promise<unknown>
  /** The kill comes within so many ms of its beginning. */
  withinMs: number
  /** Puts the chat back as it was, when the browser runs again. */
  ends?(scene: Scene): Promise<void>
}

const BURST = 5
const HOURS_AHEAD = 25

export const ACTS: Record<string, CrashAct> = {
  sending: {
    withinMs: 400,
    prepares: (scene, page) => types(scene, page, newText(scene, 'Alice', true)),
    async begins(scene, page) {
      await fieldOf(page).press('Enter')
      // The last quarter of a second may be lost, but not half of it.
      await fieldOf(page).fill(newText(scene, 'Alice', false))
      await fieldOf(page).press('Enter')
    },
  },
  receiving: {
    withinMs: 800,
    prepares: drafts,
    async begins(scene) {
      for (let count = 0; count < BURST; count++) await bobSays(scene)
    },
  },
  uploading: {
    withinMs: 1200,
    async prepares(scene, page) {
      const bytes = randomBytes(scene.dice.pick([200_000, 3_000_000, 7_000_000]))
      scene.numbers += 1
      const name = `number-${scene.numbers}.bin`
      scene.files.set(name, { sha256: createHash('sha256').update(bytes).digest('hex'), isSure: false })
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Attach files' }).click()
      await page.getByRole('menuitem', { name: 'Choose files' }).click()
      await (await chooser).setFiles([{ name, mimeType: 'application/octet-stream', buffer: bytes }])
      await page.getByLabel('Caption').waitFor()
    },
    async begins({ files }, page) {
      const [name, file] = [...files].at(-1) ?? []
      await page.locator('[role="dialog"] button[type="submit"]', { hasText: 'Send' }).click()
      // From here on the browser has it.
      await page.locator('.att-document', { hasText: name ?? '' }).waitFor()
      if (file) file.isSure = true
    },
    async ends({ open }) {
      for (const page of open.tabs)
        await until('the end of the upload', async () => (await page.locator('.att-upload').count()) === 0)
    },
  },
  locking: {
    withinMs: 1500,
    async prepares(scene, page) {
      await drafts(scene, page)
      await asksForNewPassword(scene, page)
    },
    begins: (_, page) => page.getByRole('button', { name: 'Set password' }).click(),
    ends: opensForGood,
  },
  unlocking: {
    withinMs: 1500,
    async prepares(scene, page) {
      await drafts(scene, page)
      await locks(scene, page)
      await bobSays(scene)
    },
    async begins(scene, page) {
      await unlocks(page)
      if (scene.dice.below(2) === 0) await removes(page)
    },
    ends: opensForGood,
  },
  upgrading: {
    withinMs: 2000,
    async prepares(scene, page) {
      await drafts(scene, page)
      scene.numbers += 1
      scene.proxy.tellsTruth()
      scene.proxy.lies(await updated(scene.proxy.url, { mark: `build ${scene.numbers}` }))
    },
    async begins(_, page) {
      // The first load finds the new build, the second one starts it.
      await page.reload()
      await page.reload()
    },
  },
  healing: {
    withinMs: 700,
    async prepares(scene, page) {
      await types(scene, page, newText(scene, 'Alice', true))
      // A day later the keys of the chat are renewed before anything is sent.
      await page.evaluate((hours) => {
        const Real = Date
        const ahead = hours * 3_600_000
        const now = () => Real.now() + ahead
        globalThis.Date = new Proxy(Real, {
          construct: (target, given) => Reflect.construct(target, given.length > 0 ? given : [now()]),
          get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
        })
      }, HOURS_AHEAD)
    },
    begins: (_, page) => fieldOf(page).press('Enter'),
  },
}

async function drafts(scene: Scene, page: Page): Promise<void> {
  scene.numbers += 1
  await types(scene, page, `half of number ${scene.numbers}`)
}

const field = (page: Page, label: RegExp | string) => page.getByRole('dialog').getByLabel(label)

async function opensPanel(page: Page): Promise<void> {
  const panel = page.getByRole('region', { name: 'Chat password' })
  if (!(await panel.isVisible())) await page.getByRole('button', { name: 'bob', exact: true }).click()
  await panel.waitFor()
}

/** Alice has confirmed who she is, so one press sets it. */
async function asksForNewPassword({ server }: Scene, page: Page): Promise<void> {
  await atDatabase(server.dataFolder, (client) => client.query('update sessions set confirmed_at = now()'))
  await opensPanel(page)
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await field(page, /^Chat password/).fill(PASSWORD)
  await field(page, 'Confirm password').fill(PASSWORD)
}

async function locks(scene: Scene, page: Page): Promise<void> {
  await asksForNewPassword(scene, page)
  await page.getByRole('button', { name: 'Set password' }).click()
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await until('the lock', async () => (await question.isVisible()) || (await page.getByRole('dialog').count()) === 0)
  if (await question.isVisible()) {
    await question.getByLabel('Password', { exact: true }).fill(ACCOUNT_PASSWORD)
    await question.getByRole('button', { name: 'Confirm', exact: true }).click()
  }
  for (const tab of scene.open.tabs) await until('the lock', async () => (await standingOf(tab)) === 'shut')
}

async function enters(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button }).first().click()
  await field(page, /^Chat password/).fill(PASSWORD)
  await page.keyboard.press('Enter')
}

async function unlocks(page: Page): Promise<void> {
  await enters(page, 'Enter Password')
  await until('the open chat', async () => (await standingOf(page)) === 'open')
}

async function removes(page: Page): Promise<void> {
  await opensPanel(page)
  await page.getByRole('region', { name: 'Chat password' }).getByRole('button', { name: 'Remove' }).click()
  await field(page, /^Chat password/).fill(PASSWORD)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove password' }).click()
}

/** Finishes what was interrupted, opens the chat by its password in both tabs, and takes the password off. */
async function opensForGood({ open: { tabs } }: Scene): Promise<void> {
  const [first, second] = tabs
  if ((await standingOf(first)) === 'interrupted') {
    await enters(first, 'Set again')
    await until('the lock', async () => (await standingOf(first)) === 'shut')
  }
  if ((await standingOf(first)) === 'open') return
  await unlocks(first)
  await removes(first)
  for (const page of [first, second]) await until('the open chat', async () => (await standingOf(page)) === 'open')
}
