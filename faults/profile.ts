import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { looksOften } from '../e2e/eager.ts'
import { pause } from './clients.ts'
import { requireProc } from './postgres.ts'

/** A real browser with its profile in a folder, which this process has started and kills as a whole. */
export interface OpenProfile {
  context: BrowserContext
  tabs: [Page, Page]
  /** Whether it says in its log that it has found its databases damaged, and deleted them all. */
  hasDeleted(): boolean
  /** SIGKILL to all of its processes at once. Resolves when none is left. */
  kill(): Promise<void>
  /** Closes it as a person does: then it writes its cookies too. */
  close(): Promise<void>
}

const PATIENCE_MS = 20_000
const GONE_MS = 10_000
/** Chromium's words, in `content/browser/indexed_db`. */
const DELETES = /indexed_db.*(Got corruption for|recovering from a corrupted)/

/** Opens the browser of this profile with two tabs. */
export async function openProfile(profile: string): Promise<OpenProfile> {
  requireProc()
  const log = path.join(profile, `start-${Date.now()}.log`)
  const context = await openBrowser(profile, ['--enable-logging', `--log-file=${log}`])
  // What runs in pages was compiled for Node, which names functions by this.
  await context.addInitScript('globalThis.__name = (one) => one')
  const [first, second] = [context.pages()[0] ?? (await context.newPage()), await context.newPage()]
  for (const page of [first, second]) {
    page.setDefaultTimeout(PATIENCE_MS)
    looksOften(page)
  }
  const leader = leaderOf(profile)
  const closed = new Promise((resolve) => context.once('close', resolve))
  return {
    context,
    tabs: [first, second],
    hasDeleted: () => DELETES.test(readFileSync(log, 'utf8')),
    async kill() {
      process.kill(-leader, 'SIGKILL')
      const deadline = Date.now() + GONE_MS
      while (processesOf(leader, profile).length > 0) {
        if (Date.now() > deadline) throw new Error(`Processes of the browser do not end: ${processesOf(leader, profile)}`)
        await pause(2)
      }
      await closed
    },
    close: () => context.close(),
  }
}

interface Running {
  pid: number
  parent: number
  group: number
  words: string
}

/** The browser's first process, a child of this one. It leads the group of all others. */
function leaderOf(profile: string): number {
  const found = running().filter(
    ({ pid, parent, group, words }) => parent === process.pid && pid === group && isOf(profile, words),
  )
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} browsers of this process have the profile ${profile}`)
  return found[0].pid
}

const processesOf = (leader: number, profile: string): number[] =>
  running()
    .filter(({ group, words }) => group === leader || isOf(profile, words))
    .map(({ pid }) => pid)

const isOf = (profile: string, words: string): boolean => words.includes(`--user-data-dir=${profile}`)

/** Processes that have not ended. */
function running(): Running[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .flatMap((pid) => {
      try {
        const [, state, parent, group] = /^\d+ \(.*\) (\S) (\d+) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        if (state === 'Z') return []
        return [{ pid, parent: Number(parent), group: Number(group), words: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }]
      } catch {
        return []
      }
    })
}
