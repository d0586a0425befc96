import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { candidatesOf, type Driver, PATIENCE_MS, type Target } from './driver.ts'
import { freePort, pause, type RunningServer } from './server.ts'
import { type Account, type Visitor, visitorBy } from './visitor.ts'

const PROGRAMS = ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb']

/** Whether Debian's webkit2gtk-driver and xvfb are here. */
export const HAS_WEBKIT = PROGRAMS.every((path) => existsSync(path))

interface AtWebKit extends Visitor {
  driver: Driver
}

/** How often a page is looked at. */
const AGAIN_MS = 50
/** The name that WebDriver gives the reference of an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

type Found = Record<typeof ELEMENT, string>

/** A person at WebKitGTK's MiniBrowser, in a window that nobody sees. Its folder goes with the run. */
export async function personAtWebKit(
  server: Pick<RunningServer, 'url'>,
  who: Account & { name: string },
  patienceMs = PATIENCE_MS,
): Promise<AtWebKit> {
  const home = await mkdtemp(join(tmpdir(), 'conclave-webkit-'))
  const saved = join(home, 'saved')
  await mkdir(saved)
  await writeFile(join(home, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${saved}"\n`)
  const [screen, display] = await startScreen()
  const port = await freePort()
  const driverAt = spawn('/usr/bin/WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    env: {
      ...process.env,
      ...{ DISPLAY: display, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home },
      // There is neither a bus nor a graphics card.
      ...{ NO_AT_BRIDGE: '1', LIBGL_ALWAYS_SOFTWARE: '1', GIO_USE_VFS: 'local' },
    },
    stdio: 'ignore',
  })
  const asks = speaker(`http://127.0.0.1:${port}`)
  const { sessionId } = await asks<{ sessionId: string }>('POST', '/session', { capabilities: { alwaysMatch: {} } })
  const within = <T>(method: Method, path: string, body?: object) => asks<T>(method, `/session/${sessionId}${path}`, body)
  await within('POST', '/window/rect', { width: 1280, height: 800 })
  const close = async () => {
    await within('DELETE', '').catch(() => undefined)
    driverAt.kill()
    screen.kill()
  }
  const driver = byWebDriver(within, { saved, patienceMs, close })
  return { ...visitorBy(driver, server.url, who), driver }
}

/** Starts a screen that nobody sees, and returns its name. */
async function startScreen(): Promise<[ChildProcess, string]> {
  const screen = spawn('/usr/bin/Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await new Promise<string>((resolve, reject) => {
    screen.stdio[3]?.once('data', (chunk) => resolve(String(chunk).trim()))
    screen.once('exit', () => reject(new Error('Xvfb does not start')))
  })
  return [screen, `:${number}`]
}

type Method = 'GET' | 'POST' | 'DELETE'
type Ask = <T>(method: Method, path: string, body?: object) => Promise<T>

/** Asks a WebDriver, which may be starting still. */
function speaker(url: string): Ask {
  let hasAnswered = false
  return async <T>(method: Method, path: string, body?: object): Promise<T> => {
    for (const deadline = Date.now() + PATIENCE_MS; ; await pause(AGAIN_MS))
      try {
        const answer = await fetch(url + path, { method, ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }) })
        hasAnswered = true
        const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } }
        if (!answer.ok) throw new Error(`${value.error}: ${value.message}`)
        return value
      } catch (error) {
        if (hasAnswered || Date.now() > deadline) throw error
      }
  }
}

interface Rest {
  saved: string
  patienceMs: number
  close: () => Promise<void>
}

function byWebDriver(ask: Ask, { saved, patienceMs, close }: Rest): Driver {
  const complaints: string[] = []
  const run = <T>(script: string, ...args: unknown[]) => ask<T>('POST', '/execute/sync', { script, args })
  /** The elements on screen that may be meant, in the order of the page. */
  const candidates = (target: Target): Promise<Found[]> =>
    'role' in target ? run(SHOWN, candidatesOf(target.role), '') : run(SHOWN, target.css, target.text ?? '')
  const look = async (target: Target) => {
    for (const { [ELEMENT]: id } of await candidates(target)) {
      if ('css' in target) return id
      // WebKit has no answer for what a screen reader does not meet.
      const name = await ask<string>('GET', `/element/${id}/computedlabel`).catch(() => '')
      if (name.trim() === target.name) return id
    }
    return undefined
  }
  /** Until it is there and the work with it succeeds: what React puts anew meanwhile is looked for again. */
  const withFound = async <T>(target: Target, work: (id: string) => Promise<T>): Promise<T> => {
    for (const deadline = Date.now() + patienceMs; ; await pause(AGAIN_MS)) {
      const isLast = Date.now() > deadline
      try {
        const id = await look(target)
        if (id) return await work(id)
        if (isLast) throw new Error('Not on the screen')
      } catch (error) {
        if (isLast) throw new Error(`${JSON.stringify(target)}: ${error}`)
      }
    }
  }
  const press = (target: Target) => withFound(target, (id) => ask<void>('POST', `/element/${id}/click`))
  const collect = async () =>
    void complaints.push(...(await run<string[]>('return (globalThis.complaints ?? []).splice(0)').catch(() => [])))
  const gives = async (css: string, path: string) => {
    const [found] = await run<Found[]>('return [...document.querySelectorAll(arguments[0])]', css)
    if (!found) throw new Error(`No such field: ${css}`)
    await ask('POST', `/element/${found[ELEMENT]}/value`, { text: path })
  }
  return {
    complaints,
    async open(url) {
      await collect()
      await ask('POST', '/url', { url })
    },
    async reload() {
      await collect()
      await ask('POST', '/refresh')
    },
    press,
    type: (label, text) =>
      withFound({ role: 'textbox', name: label }, async (id) => {
        await ask('POST', `/element/${id}/click`)
        await ask('POST', `/element/${id}/value`, { text: `\uE009a\uE009${text}` })
      }),
    sees: (target) => withFound(target, async () => undefined),
    misses: (target) =>
      expect
        .poll(() => look(target).catch(() => 'the page is left'), { message: JSON.stringify(target), timeout: patienceMs })
        .toBeUndefined(),
    async chooses(target, path) {
      await press(target)
      await gives('input[type=file]', path)
    },
    gives,
    async saves(target, name) {
      await press(target)
      const path = join(saved, name)
      await expect
        .poll(() => existsSync(path) && statSync(path).size > 0, { message: basename(path), timeout: patienceMs })
        .toBe(true)
      const bytes = await readFile(path)
      await rm(path)
      return bytes
    },
    asks: (question) => run(`return (${question})()`),
    async close() {
      await collect()
      await close()
    },
  }
}

/** Runs in the page: notes what it leaves uncaught from the first look on, and finds what is on the screen. */
const SHOWN = `
  globalThis.complaints ??= (() => {
    const list = []
    addEventListener('error', ({ message }) => list.push(message))
    addEventListener('unhandledrejection', ({ reason }) => list.push(String(reason)))
    document.addEventListener('securitypolicyviolation', (event) => list.push(event.effectiveDirective + ' ' + event.blockedURI))
    return list
  })()
  const [selector, text] = arguments
  return [...document.querySelectorAll(selector)].filter(
    (one) => one.checkVisibility({ visibilityProperty: true }) && one.textContent.includes(text),
  )`
