import { existsSync, statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ElementHandle, Page } from 'puppeteer-core'
import { expect } from 'vitest'
import { candidatesOf, type Driver, type Target } from './driver.ts'
import { pause } from './server.ts'
import { watchCalls } from './watchcall.ts'

/** How often a page is looked at. */
const AGAIN_MS = 50
/** To fill a field again does no harm. */
const FILL_MS = 5000

/** Moves a page of Firefox. What it saves lies in this folder. */
export async function byPuppeteer(page: Page, folder: string, patienceMs: number): Promise<Driver> {
  page.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  // Among these is what broke the Content-Security-Policy. A line that a test takes away is none.
  const complain = (text: string) => !/establish a connection to the server at ws:/.test(text) && complaints.push(text)
  page.on('pageerror', (error) => complain(String(error)))
  page.on('console', (message) => message.type() === 'error' && complain(message.text()))
  // `tsx`, which runs the bench, names functions by it.
  await page.evaluateOnNewDocument('globalThis.__name = (one) => one')
  await page.evaluateOnNewDocument(watchCalls)
  // Without a sound card Firefox plays what is muted, and refuses the rest. Each sound begins with this event.
  await page.evaluateOnNewDocument(() =>
    document.addEventListener(
      'loadstart',
      ({ target }) => target instanceof HTMLMediaElement && Object.assign(target, { muted: true }),
      true,
    ),
  )
  // To ask Firefox itself for roles and names takes it seconds, each time.
  const look = async (target: Target) => {
    const asked = 'role' in target ? [candidatesOf(target.role), target.name, true] : [target.css, target.text, false]
    const found = await page.evaluateHandle(shown, ...(asked as Parameters<typeof shown>))
    return (found.asElement() as ElementHandle<Element> | null) ?? undefined
  }
  /** Until it is on the screen and the work with it succeeds: what React puts anew meanwhile is looked for again. */
  const withFound = async <T>(target: Target, work: (found: ElementHandle<Element>) => Promise<T | false>): Promise<T> => {
    let failure: unknown
    for (const deadline = Date.now() + patienceMs; Date.now() <= deadline; await pause(AGAIN_MS))
      try {
        const found = await look(target)
        const done = found && (await work(found))
        if (done) return done
      } catch (error) {
        failure = error
      }
    const shows = await page.evaluate(() => document.body.textContent.slice(0, 1000)).catch(String)
    throw new Error(`Not on the screen, or not to be used: ${JSON.stringify(target)}. It shows: ${shows}`, { cause: failure })
  }
  const press = async (target: Target) => {
    const { x, y } = await withFound(target, async (found) => {
      // Behind another tab a page gets its frames at intervals that double, and rest is seen by frames.
      await page.bringToFront()
      await found.scrollIntoView()
      return (await found.evaluate(rests)) && (await found.clickablePoint())
    })
    // Nothing is pressed again, whatever becomes of the page.
    await page.mouse.click(x, y)
  }
  const type = async (label: string, text: string) => {
    await page.bringToFront()
    await withFound({ role: 'textbox', name: label }, async (found) => {
      await found.asLocator().setTimeout(FILL_MS).fill(text)
      return await found.evaluate((field, typed) => field.isConnected && (field as HTMLInputElement).value === typed, text)
    })
  }
  return {
    complaints,
    open: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    press,
    type,
    sees: async (target) => void (await withFound(target, async () => true)),
    misses: (target) =>
      expect
        .poll(() => look(target).catch(() => 'the page is left'), { message: JSON.stringify(target), timeout: patienceMs })
        .toBeUndefined(),
    async chooses(target, path) {
      const [chooser] = await Promise.all([page.waitForFileChooser(), press(target)])
      await chooser.accept([path])
    },
    async gives(css, path) {
      await page.waitForSelector(css)
      const base64 = (await readFile(path)).toString('base64')
      await page.evaluate(
        (field, name, text) => {
          const given = new DataTransfer()
          given.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name))
          const input = document.querySelector<HTMLInputElement>(field)
          if (!input) throw new Error('The field is gone')
          input.files = given.files
          input.dispatchEvent(new Event('change', { bubbles: true }))
        },
        css,
        basename(path),
        base64,
      )
    },
    async saves(target, name) {
      const path = join(folder, name)
      // Firefox makes an empty file of this name first, and writes into another.
      const isSaved = () => existsSync(path) && statSync(path).size > 0
      // Where the list moves at that moment the press meets something else. To save twice does no harm.
      for (const deadline = Date.now() + patienceMs; !isSaved() && Date.now() <= deadline; ) {
        await press(target)
        await expect
          .poll(isSaved, { timeout: patienceMs / 4 })
          .toBe(true)
          .catch(() => undefined)
      }
      expect(isSaved()).toBe(true)
      const bytes = await readFile(path)
      await rm(path)
      return bytes
    },
    asks: (question) => page.evaluate(question),
    close: () => page.browserContext().close(),
  }
}

/** Runs in the page: whether it may be pressed where it stands. */
async function rests(one: Element): Promise<boolean> {
  const place = () => JSON.stringify(one.getBoundingClientRect())
  const before = place()
  for (let frame = 0; frame < 2; frame++)
    // Without frames, behind another tab, it is looked for again.
    await new Promise((resolve) => {
      requestAnimationFrame(resolve)
      setTimeout(resolve, 500)
    })
  return one.isConnected && !one.matches(':disabled') && place() === before
}

/** Runs in the page: the first on the screen that has the text, or whose whole name it is. */
function shown(selector: string, text: string | undefined, isName: boolean): Element | undefined {
  const wordsOf = (one: Element | null) => {
    const copy = one?.cloneNode(true) as Element | undefined
    for (const hidden of copy?.querySelectorAll('[aria-hidden="true"]') ?? []) hidden.remove()
    return copy?.textContent?.replace(/\s+/g, ' ').trim() ?? ''
  }
  const nameOf = (one: Element) => {
    const ids = one.getAttribute('aria-labelledby')?.split(' ')
    const labels = ids?.map((id) => document.getElementById(id)) ?? [...((one as HTMLInputElement).labels ?? [])]
    return one.getAttribute('aria-label') ?? (labels.map(wordsOf).join(' ') || wordsOf(one))
  }
  // What lies beneath a dialog is hidden from whoever asks for names.
  const isMeant = (one: Element) =>
    isName ? nameOf(one) === text && !one.closest('[aria-hidden="true"], [inert]') : one.textContent?.includes(text ?? '')
  const isOnScreen = (one: Element) => one.checkVisibility({ visibilityProperty: true })
  return [...document.querySelectorAll(selector)].find((one) => isOnScreen(one) && isMeant(one))
}
