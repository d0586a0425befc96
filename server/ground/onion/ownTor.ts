import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { authenticate, type Control, connectControl } from './control.ts'
import { EVENTS, followTor, type Progress } from './follow.ts'
import { OnionError, wordsOf } from './onionError.ts'
import { hasProofOfWork } from './program.ts'
import type { Say } from './say.ts'
import type { Stoppable } from './supervise.ts'
import { TORRC, torrcOf } from './torrc.ts'

const CONTROL_MS = 30_000
const POLL_MS = 50
const STOP_MS = 3000
const OUTPUT_MS = 300

interface OwnTor {
  program: string
  torFolder: string
  onionFolder: string
  controlPath: string
  webPath: string
  configFile: string | undefined
}

interface Followed {
  say: Say
  address: string
  onPublished: () => void
  patienceMs: number
}

/** Starts tor below this process. Throws OnionError. */
export async function startTor(tor: OwnTor, followed: Followed): Promise<Stoppable> {
  const { say } = followed
  let more: string
  try {
    more = tor.configFile === undefined ? '' : readFileSync(tor.configFile, 'utf8')
  } catch (error) {
    throw new OnionError(`TOR_CONFIG cannot be read: ${wordsOf(error, tor.configFile ?? '')}`)
  }
  const hasDefence = await hasProofOfWork(tor.program)
  const torrc = path.join(tor.torFolder, TORRC)
  const empty = path.join(tor.torFolder, 'torrc-defaults')
  try {
    mkdirSync(tor.torFolder, { recursive: true, mode: 0o700 })
    // The machine's own torrc is of another tor.
    writeFileSync(empty, '', { mode: 0o600 })
    writeFileSync(torrc, torrcOf({ ...tor, more, hasProofOfWork: hasDefence }), {
      mode: 0o600,
    })
  } catch (error) {
    throw new OnionError(wordsOf(error, tor.torFolder))
  }
  const child = spawn(tor.program, ['--defaults-torrc', empty, '-f', torrc], {
    cwd: tor.torFolder,
    // The server's settings hold passwords.
    env: { PATH: process.env['PATH'], HOME: tor.torFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // `exitOf` tells of it.
  child.on('error', () => undefined)
  const killNow = () => void child.kill('SIGKILL')
  process.once('exit', killNow)
  const gone = exitOf(child).finally(() => process.off('exit', killNow))
  let lastTrouble = ''
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      const trouble = /\[(?:warn|err)\] (.*)/.exec(line)?.[1]
      if (trouble === undefined || /Reading config failed|running Tor as root/.test(trouble)) return
      lastTrouble = troubleWords(trouble, tor)
      if (/No space left/.test(trouble)) say.once(lastTrouble)
    })
  let isOver = false
  const following = follow(tor, followed, () => isOver).catch((error: unknown) => {
    if (!isOver) say.once(error instanceof OnionError ? error.message : `tor does not answer its control socket: ${error}`)
    child.kill('SIGTERM')
    return undefined
  })
  const ended = gone.then(async (how) => {
    isOver = true
    ;(await following)?.end()
    // An old warning is no reason.
    return how.startsWith('exit code') && lastTrouble ? lastTrouble : `tor has ended (${how})`
  })
  return {
    ended,
    async stop() {
      child.kill('SIGTERM')
      await Promise.race([ended, wait(STOP_MS, undefined, { ref: false })])
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function exitOf(child: ChildProcess): Promise<string> {
  try {
    const closed = once(child, 'close').catch(() => undefined)
    const [code, signal] = await once(child, 'exit')
    // A bridge may keep its output open.
    await Promise.race([closed, wait(OUTPUT_MS)])
    return signal === null ? `exit code ${code}` : String(signal)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Takes the ownership, so that tor ends with this connection, and follows what tor tells. */
async function follow(tor: OwnTor, { say, address, onPublished, patienceMs }: Followed, isOver: () => boolean) {
  const progress: Progress = followTor({ address, onPublished, onWrongClock: say.once })
  const control = await connectSoon(tor.controlPath, progress.take, isOver)
  if (!control) return undefined
  try {
    await authenticate(control, undefined)
    await control.ask('TAKEOWNERSHIP')
    await control.ask(`SETEVENTS ${EVENTS}`)
    for (const line of await control.ask('GETINFO status/bootstrap-phase')) progress.take(line)
  } catch (error) {
    control.end()
    throw error
  }
  const timer = setTimeout(() => progress.isPublished || say.once(progress.waitsFor()), patienceMs)
  control.ended.then(() => clearTimeout(timer))
  return control
}

async function connectSoon(
  controlPath: string,
  onEvent: (line: string) => void,
  isOver: () => boolean,
): Promise<Control | undefined> {
  for (const deadline = Date.now() + CONTROL_MS; ; ) {
    if (isOver()) return undefined
    try {
      return await connectControl({ path: controlPath }, onEvent)
    } catch (error) {
      if (Date.now() > deadline) throw error
      await wait(POLL_MS)
    }
  }
}

function troubleWords(trouble: string, { onionFolder, torFolder }: OwnTor): string {
  if (/No space left/.test(trouble)) return `The disk is full: tor cannot write into ${torFolder}`
  if (/another Tor process is running with the same data directory/.test(trouble)) return `Another tor still runs on ${torFolder}`
  if (/too permissive|not owned by this user|Permission denied/.test(trouble))
    return `tor may not use its folders ${onionFolder} and ${torFolder}: ${trouble}`
  return `tor has ended, and said last: ${trouble}`
}
