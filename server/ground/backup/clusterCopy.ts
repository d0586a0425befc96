import type { Dirent } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Entry, readStart } from './archive.ts'
import { BackupError } from './backupError.ts'
import { type Session, type Stopped, startBackup, stopBackup } from './store.ts'

/** PostgreSQL fills these at its start (manual, "Low Level API"). */
const EMPTY = new Set(['pg_dynshmem', 'pg_notify', 'pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'])
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|current_logfiles|.*\.tmp|pg_internal\.init.*|pgsql_tmp.*)$/
const SEGMENT = /^[0-9A-F]{24}$/
const CONTROL = 'global/pg_control'
const CONTROL_TRIES = 100
const POSTGRES = 'postgres'

interface Cluster {
  folder: string
  segmentBytes: number
}

/** Yields the files of a running cluster, then those that make the copy consistent. Throws BackupError. */
export async function* copyCluster(
  client: Session,
  { folder, segmentBytes }: Cluster,
  { label, onStart, onStop }: { label: string; onStart: (lsn: string) => void; onStop: (stopped: Stopped) => void },
): AsyncGenerator<Entry> {
  onStart(await startBackup(client, label))
  yield* copyFolder(folder, POSTGRES)
  const stopped = await stopBackup(client)
  yield whole(`${POSTGRES}/backup_label`, Buffer.from(stopped.label))
  if (stopped.map !== '') yield whole(`${POSTGRES}/tablespace_map`, Buffer.from(stopped.map))
  yield* copyLog(folder, segmentBytes, stopped)
  // Last, as pg_basebackup has it.
  yield whole(`${POSTGRES}/${CONTROL}`, await readControl(path.join(folder, CONTROL)))
  onStop(stopped)
}

const whole = (name: string, bytes: Buffer): Entry => ({ name, file: { sizeBytes: bytes.length, bytes: [bytes] } })

/** Files that go meanwhile are not needed. */
export async function* copyFolder(folder: string, name: string): AsyncGenerator<Entry> {
  const found = await unlessGone(readdir(folder, { withFileTypes: true }))
  if (!found) return
  yield { name }
  for (const entry of found.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const [file, at] = [path.join(folder, entry.name), `${name}/${entry.name}`]
    if (isLeftOut(entry, at)) continue
    if (entry.isDirectory() && isEmptied(at)) yield* emptied(file, at)
    else if (entry.isDirectory()) yield* copyFolder(file, at)
    else if (entry.isFile()) {
      const size = (await unlessGone(lstat(file)))?.size
      if (size !== undefined) yield { name: at, file: { sizeBytes: size, bytes: goneIsEmpty(readStart(file, size)) } }
    } else throw new BackupError(`${file} is no file, and a backup does not copy it`)
  }
}

const isLeftOut = (entry: Dirent, at: string): boolean => LEFT_OUT.test(entry.name) || at === `${POSTGRES}/${CONTROL}`

const isEmptied = (at: string): boolean =>
  at.startsWith(`${POSTGRES}/`) && (at === `${POSTGRES}/pg_wal` || EMPTY.has(at.slice(POSTGRES.length + 1)))

async function* emptied(folder: string, name: string): AsyncGenerator<Entry> {
  yield { name }
  for (const entry of (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? [])
    if (entry.isDirectory() && name.endsWith('pg_wal')) yield { name: `${name}/${entry.name}` }
}

async function* copyLog(folder: string, segmentBytes: number, { label, segment: last }: Stopped): AsyncGenerator<Entry> {
  const first = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/m.exec(label)?.[1]
  if (first === undefined) throw new Error('The label of the backup names no log')
  const [from, to] = [numberOf(first, segmentBytes), numberOf(last, segmentBytes)]
  const log = path.join(folder, 'pg_wal')
  const names = await readdir(log)
  const needed = names.filter((name) => {
    const number = SEGMENT.test(name) ? numberOf(name, segmentBytes) : -1
    return number >= from && number <= to && name.slice(0, 8) === last.slice(0, 8)
  })
  if (needed.length !== to - from + 1)
    throw new BackupError('The database has thrown away a part of its log that the backup needs. Try again')
  for (const name of [...names.filter((each) => each.endsWith('.history')), ...needed].sort()) {
    const file = path.join(log, name)
    const { size } = await lstat(file)
    yield { name: `${POSTGRES}/pg_wal/${name}`, file: { sizeBytes: size, bytes: readStart(file, size) } }
  }
}

/** A name has eight digits each of timeline, log and segment. */
const numberOf = (name: string, segmentBytes: number): number =>
  Number.parseInt(name.slice(8, 16), 16) * (2 ** 32 / segmentBytes) + Number.parseInt(name.slice(16), 16)

/** PostgreSQL may be writing it. */
async function readControl(file: string): Promise<Buffer> {
  for (let tries = 0; tries < CONTROL_TRIES; tries++) {
    const [one, other] = [await readFile(file), await readFile(file)]
    if (one.equals(other)) return one
    await wait(10)
  }
  throw new Error('pg_control does not come to rest')
}

/** The log removes files of dropped tables again. */
async function* goneIsEmpty(bytes: AsyncIterable<Buffer> | Buffer[]): AsyncGenerator<Buffer> {
  try {
    yield* bytes
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}
