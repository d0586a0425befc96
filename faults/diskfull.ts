import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ask } from './ask.ts'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome, Skipped, seconds } from './fault.ts'
import { type Ground, onGround } from './ground.ts'
import { type History, inSilence, now, recoveredAfter } from './recorder.ts'

const MB = 1024 * 1024
const DISK_MB = 320
const SEGMENT_MB = 16
/** The disk counts as full after this time without an acknowledgement. */
const QUIET_MS = 1500
const RECOVER_MS = 15_000
const UNTIL_FULL_MS = 60_000

/** Fills the database's disk: the server answers 5xx, acknowledges nothing false, and recovers by itself once there is space. */
export async function diskFull(form: Form): Promise<Outcome> {
  const disk = mountDisk(DISK_MB)
  try {
    // Long texts use up the space that PostgreSQL has preallocated for its WAL.
    return await onGround({ env: { CONCLAVE_DATA: disk }, workers: 4, fillChars: 20_000, restMs: 20 }, (ground) =>
      fill(ground, disk, form),
    )
  } finally {
    unmountDisk(disk)
  }
}

export function unmountDisk(disk: string): void {
  spawnSync('umount', ['-l', disk])
  rmSync(disk, { recursive: true, force: true })
}

interface Filling {
  recovered: number | undefined
  isFull: boolean
  health: number | undefined
}

async function fill({ server, port, history }: Ground, disk: string, { isShort, patience }: Form) {
  const from = now()
  const fillings: Filling[] = []
  // With less than one WAL segment left PostgreSQL crashes. With no space at all it stays up and cannot write.
  for (const leftMb of [SEGMENT_MB / 2, 0]) {
    // The long form lasts longer than the server waits for PostgreSQL.
    fillings.push(await fillUp({ port, history }, disk, leftMb, isShort ? 4000 : 14_000))
  }
  const codes = codesSince(history, from)
  const slowest = fillings.some((each) => each.recovered === undefined)
    ? undefined
    : Math.max(...fillings.map((each) => each.recovered ?? 0))
  return {
    faults: fillings.length,
    summary: `${fillings.length} times; ${codes}; health ${fillings.map((each) => each.health ?? 'silent').join(' and ')}; acknowledged again after ${seconds(slowest)} at most`,
    complaints: [
      ...must(
        fillings.every((each) => each.isFull),
        'the disk did not fill up',
      ),
      ...must(/unavailable/.test(codes), 'nobody was answered 503'),
      ...must(!/internal/.test(codes), 'some were answered 500 in place of 503'),
      ...must(
        (await ask(port, { method: 'GET', path: '/api/health' }))?.status === 200,
        `the server ended: ${server.output().slice(-500)}`,
      ),
      ...atMost('acknowledged again', slowest, RECOVER_MS * patience, 'ms'),
    ],
  }
}

async function fillUp(
  { port, history }: Pick<Ground, 'port' | 'history'>,
  disk: string,
  leftMb: number,
  holdMs: number,
): Promise<Filling> {
  const filler = path.join(disk, 'filler')
  const since = now()
  const lastAck = () => history.attempts.findLast((each) => each.outcome === 'acknowledged')?.endedAt ?? since
  while (now() - lastAck() < QUIET_MS && now() - since < UNTIL_FULL_MS) {
    takeSpace(disk, filler, leftMb)
    await pause(100)
  }
  const isFull = now() - lastAck() >= QUIET_MS
  const health = await inSilence(history, async () => {
    await pause(holdMs)
    return (await ask(port, { method: 'GET', path: '/api/health' }))?.status
  })
  rmSync(filler)
  const freed = now()
  while (recoveredAfter(history, freed) === undefined && now() - freed < 2 * RECOVER_MS) await pause(100)
  return { recovered: recoveredAfter(history, freed), isFull, health }
}

function codesSince({ attempts }: History, since: number): string {
  const counts = new Map<string, number>()
  for (const { code, outcome, startedAt } of attempts) {
    if (outcome === 'unknown' && startedAt > since) counts.set(code ?? '', (counts.get(code ?? '') ?? 0) + 1)
  }
  return [...counts].map(([code, count]) => `${count} ${code}`).join(', ')
}

/** Writes a filler file that leaves `leftMb` of free space. */
export function takeSpace(disk: string, filler: string, leftMb: number): void {
  const { bavail, bsize } = statfsSync(disk)
  const freeBytes = bavail * bsize - leftMb * MB
  const handle = openSync(filler, 'a')
  try {
    for (let left = freeBytes; left > 0; left -= MB) writeSync(handle, Buffer.alloc(Math.min(left, MB)))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  } finally {
    closeSync(handle)
  }
}

/** Throws Skipped where that is not allowed. */
export function mountDisk(sizeMb: number): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Skipped('only root on Linux may mount a small disk')
  const disk = mkdtempSync(path.join(tmpdir(), 'conclave-disk-'))
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0755`, 'none', disk], {
    encoding: 'utf8',
  })
  if (status === 0) return disk
  rmSync(disk, { recursive: true, force: true })
  throw new Skipped(`a small disk cannot be mounted here (${stderr.trim()})`)
}
