import 'fake-indexeddb/auto'
import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { browserWith, readDisk } from '../client/testing/disk.ts'
import { fillVault } from '../client/testing/library.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { openBrowser } from '../e2e/browser.ts'
import { type Moved, madeAccount } from '../e2e/crowd.ts'
import { movesIn } from '../e2e/moving.ts'
import { type RunningServer, startServer } from '../e2e/server.ts'
import { runningUrl } from '../server/ground/db/embedded.ts'
import { root } from './ground.ts'
import { pause, pssOf } from './program.ts'
import { scratchFolder } from './scratch.ts'
import { seedKeptRooms } from './seedfull.ts'

const PATIENCE_MS = 180_000
const LOOK_MS = 1000
/** A page that takes less processor time than this between two looks has nothing more to do. */
const QUIET_MS = 60
const QUIET_LOOKS = 5

export interface FullBrowser {
  page: Page
  chatRoomIds: string[]
  /** Loads the page anew and waits until nothing is left to do, such as reading what a search will need. */
  rests(): Promise<void>
  /** MB (PSS) of the page's process, its worker in it. */
  weighs(): Promise<number>
  /** Collects garbage in the page and in its workers. */
  collects(): Promise<void>
  close(): Promise<void>
}

/**
 * A browser on disk that keeps so many messages in so many rooms, written by the product's own code, at a server of that build.
 * `words`: of a message by its number; it is in the room of number `index % rooms`.
 */
export async function fullBrowser(
  { rooms, messages }: { rooms: number; messages: number },
  words: (index: number) => string,
  folder: string = root,
): Promise<FullBrowser> {
  const server = await startServer({ NODE_ENV: 'production', TOR: 'off', LOG_LEVEL: 'warn' }, folder)
  const context = await openBrowser(scratchFolder('browser'), ['--js-flags=--expose-gc'])
  const page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(PATIENCE_MS)
  const { moved, chatRoomIds } = await filled(server, { rooms, messages }, words)
  await movesIn({ context, page }, server.url, moved)
  const rests = async () => {
    for (let quiet = 0, last = await spentMs(context); quiet < QUIET_LOOKS; ) {
      await pause(LOOK_MS)
      const spent = await spentMs(context)
      quiet = spent - last < QUIET_MS ? quiet + 1 : 0
      last = spent
    }
  }
  await rests()
  return {
    page,
    chatRoomIds,
    async rests() {
      await page.goto('about:blank')
      await page.goto(server.url)
      await page.locator('a.row').first().waitFor()
      await rests()
    },
    weighs: async () => Math.max(...(await renderers(context)).map(({ id }) => pssOf(id))) / 1024,
    async collects() {
      // With the flag above each has this function.
      await page.evaluate('gc()')
      for (const worker of page.workers()) await worker.evaluate('gc()')
    },
    async close() {
      await context.close()
      await server.stop()
    },
  }
}

async function filled(
  { url, account, dataFolder }: RunningServer,
  size: { rooms: number; messages: number },
  words: (index: number) => string,
): Promise<{ moved: Moved; chatRoomIds: string[] }> {
  const username = `alice_${randomUUID().slice(0, 8)}`
  const moved = await madeAccount(url, { username, displayName: 'Alice', password: randomUUID(), address: '10.0.0.1' })
  await account('set-tier', username, 'premium')
  const databaseUrl = await runningUrl(dataFolder, 'conclave')
  if (!databaseUrl) throw new Error('The server has no database')
  const { rooms, messages } = size
  const places = Math.floor(messages / rooms)
  const newest = (room: number) => words((places - 1) * rooms + room)
  const seeded = await seedKeptRooms(databaseUrl, moved.user.id, { rooms, messages: places, words: newest })
  const chatRoomIds = seeded.map(({ chatRoomId }) => chatRoomId)
  const factory = await browserWith(moved.disk)
  Object.assign(globalThis, { indexedDB: factory })
  const cookie = moved.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const unlock = devicesApi.unlock.output.parse(await (await fetch(url + devicesApi.unlock.path, { headers: { cookie } })).json())
  const library = { chatRoomIds, messages: places * rooms, senderId: moved.user.id }
  await fillVault({ userId: moved.user.id, unlock }, library, words)
  return { moved: { ...moved, disk: await readDisk(factory) }, chatRoomIds }
}

async function renderers(context: BrowserContext): Promise<{ id: number; cpuTime: number }[]> {
  const session = await context.browser()?.newBrowserCDPSession()
  if (!session) throw new Error('The page has no browser')
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer')
}

/** The processor time of all pages so far. */
const spentMs = async (context: BrowserContext): Promise<number> =>
  1000 * (await renderers(context)).reduce((sum, { cpuTime }) => sum + cpuTime, 0)
