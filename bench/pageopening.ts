import type { Locator, Page } from 'playwright-core'
import { storedBytesOf } from '../contract/chat/objects.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { pause } from './program.ts'

const WATCHED_MS = 10
const PATIENCE_MS = 120_000

declare global {
  /** When the page made the address of a file that it has opened, by its clock. */
  var openedAt: number | undefined
}

/** Times in ms of one received file, of the same bytes as they are, and how both compare. */
export interface Opened {
  openedMs: number
  keptMs: number
  plainGetMs: number
  openedRatio: number
}

/** The button that saves a file, once it is shown. */
export async function shownSave(to: Page, name: string): Promise<Locator> {
  const save = to.getByRole('button', { name: `Save ${name}` })
  await save.waitFor({ timeout: PATIENCE_MS })
  return save
}

/** Measures from the tap on Save until the page has made the address of the opened file. */
export async function timeOpened(to: Page, name: string): Promise<Opened> {
  const save = await shownSave(to, name)
  const fetched = to.waitForRequest((request) => request.url().includes('/objects/uploads/'), { timeout: PATIENCE_MS })
  await save.click()
  const openedMs = await opened(to)
  const path = new URL((await fetched).url()).pathname
  // It is written behind the opening, and must not meet what is measured next.
  const keptMs = await kept(to, path)
  const plainGetMs = ((await plainGet(to, path)) + (await plainGet(to, path))) / 2
  return { openedMs, keptMs, plainGetMs, openedRatio: plainGetMs / openedMs }
}

/** Waits until a file is opened that the last tap has asked for. Returns the time since then in ms. */
export async function opened(to: Page): Promise<number> {
  await to.waitForFunction(() => (globalThis.openedAt ?? 0) > globalThis.pressedAt, undefined, { timeout: PATIENCE_MS })
  return await to.evaluate(() => (globalThis.openedAt ?? 0) - globalThis.pressedAt)
}

/** Waits until the browser's private file system has the whole file. Returns the time since the tap, late by a look at most. */
async function kept(to: Page, path: string): Promise<number> {
  const whole = [path.split('/').at(-1) ?? '', storedBytesOf(LIMITS.fileBytes)] as const
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const at = await to.evaluate(async ([name, sizeBytes]) => {
      for await (const account of (await navigator.storage.getDirectory()).values()) {
        if (!(account instanceof FileSystemDirectoryHandle)) continue
        for await (const chat of account.values()) {
          const handle = chat instanceof FileSystemDirectoryHandle && (await chat.getFileHandle(name).catch(() => undefined))
          if (handle && (await handle.getFile()).size === sizeBytes) return performance.now() - globalThis.pressedAt
        }
      }
      return undefined
    }, whole)
    if (at !== undefined) return at
    await pause(WATCHED_MS)
  }
  throw new Error('The file was not kept')
}

/** Reads the sealed bytes of the file, as a Blob, as the product does. */
const plainGet = (page: Page, path: string): Promise<number> =>
  page.evaluate(async (address) => {
    const start = performance.now()
    await (await fetch(address, { cache: 'no-store' })).blob()
    return performance.now() - start
  }, path)
