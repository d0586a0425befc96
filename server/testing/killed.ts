import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type Browser, newBrowser } from './browser.ts'
import type { World } from './world.ts'

/**
 * Starts a server process on the database of a world that dies at this fault point, as by SIGKILL. Returns a function that makes a
 * browser there, with the session of another one. `variables` are further settings.
 */
export async function killableServer(
  world: World,
  point: string,
  variables: Record<string, string> = {},
): Promise<{ at: (who: Browser) => Browser; process: ChildProcess }> {
  const server = spawn(process.execPath, ['--import', 'tsx', path.resolve(import.meta.dirname, 'killable.ts')], {
    env: {
      ...process.env,
      ...variables,
      DATABASE_URL: world.databaseUrl,
      CONCLAVE_FAULT: `${point}:exit`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [line] = await once(server.stdout, 'data')
  const at = (who: Browser) => {
    const url = String(line).trim()
    const browser = newBrowser(url, url)
    browser.cookie = who.cookie
    return browser
  }
  return { at, process: server }
}
