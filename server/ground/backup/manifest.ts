import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { BackupError } from './backupError.ts'
import type { Measured } from './sealing.ts'

const FORMAT = 1
const MANIFEST = 'manifest.json'
const UNFINISHED = 'unfinished-'
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/

const fileShape = z.object({ file: z.string().regex(/^[\w.-]+$/), sizeBytes: z.number(), sha256: z.string().length(64) })

/** It stands in the clear. */
const manifestShape = z.object({
  format: z.literal(FORMAT),
  version: z.string(),
  postgres: z.object({ version: z.string(), systemIdentifier: z.string() }),
  migrations: z.object({ count: z.number(), newest: z.number() }),
  startedAt: z.iso.datetime(),
  /** The backup has what was acknowledged before. */
  copiedAt: z.iso.datetime(),
  startLsn: z.string(),
  stopLsn: z.string(),
  /** True: the command has started PostgreSQL itself. */
  isServerStopped: z.boolean(),
  /** null: nothing is encrypted. */
  recipient: z.string().nullable(),
  archive: fileShape,
  objects: fileShape.extend({ count: z.number(), totalBytes: z.number(), folder: z.string().regex(/^[\w-]+$/) }),
  /** Ids of files that the server itself lacks. */
  lacking: z.array(z.string()),
})

export type Manifest = z.output<typeof manifestShape>

export interface Backup {
  name: string
  folder: string
  manifest: Manifest
}

const backupsOf = (folder: string): string => path.join(folder, 'backups')

const nameOf = (at: Date): string => at.toISOString().replace(/[:.]/g, '-')

export const majorOf = (version: string): string => /^\d+/.exec(version)?.[0] ?? version

/** Removes what a killed backup has left. */
export async function beginFolder(folder: string, at: Date): Promise<string> {
  await mkdir(backupsOf(folder), { recursive: true, mode: 0o700 })
  for (const name of await readdir(backupsOf(folder)))
    if (name.startsWith(UNFINISHED)) await rm(path.join(backupsOf(folder), name), { recursive: true, force: true })
  const unfinished = path.join(backupsOf(folder), UNFINISHED + nameOf(at))
  await mkdir(unfinished, { mode: 0o700 })
  return unfinished
}

/** The new name makes it a backup. Returns that name. */
export async function finishFolder(unfinished: string, manifest: Manifest): Promise<string> {
  await writeFile(path.join(unfinished, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, {
    ...{ mode: 0o600, flag: 'wx', flush: true },
  })
  await sync(unfinished)
  const name = path.basename(unfinished).slice(UNFINISHED.length)
  await rename(unfinished, path.join(path.dirname(unfinished), name))
  await sync(path.dirname(unfinished))
  return name
}

export const dropUnfinished = (unfinished: string): Promise<void> => rm(unfinished, { recursive: true, force: true })

export async function dropBackup({ folder }: Backup): Promise<void> {
  const gone = path.join(path.dirname(folder), UNFINISHED + path.basename(folder))
  await rename(folder, gone)
  await dropUnfinished(gone)
}

/** Oldest first. Throws BackupError. */
export async function listBackups(folder: string): Promise<Backup[]> {
  if (!existsSync(backupsOf(folder))) return []
  const names = (await readdir(backupsOf(folder))).filter((name) => NAME.test(name)).sort()
  return await Promise.all(
    names.map(async (name) => {
      const of = path.join(backupsOf(folder), name)
      return { name, folder: of, manifest: await readManifest(path.join(of, MANIFEST)) }
    }),
  )
}

async function readManifest(file: string): Promise<Manifest> {
  let read: unknown
  try {
    read = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new BackupError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  const { data, error } = manifestShape.safeParse(read)
  if (data) return data
  const [issue] = error.issues
  throw new BackupError(`${file} is damaged, or of a newer Conclave: ${issue?.path.join('.')}: ${issue?.message}`)
}

export async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

export interface Listed extends Measured {
  id: string
}

/** Objects of one key lie together. */
export const folderOfKey = (recipient: string | undefined): string =>
  recipient === undefined ? 'plain' : createHash('sha256').update(recipient).digest('hex').slice(0, 16)

export const objectFile = (folder: string, of: string, id: string): string =>
  path.join(folder, 'objects', of, id.slice(0, 2), of === 'plain' ? id : `${id}.age`)

export const lineOf = ({ id, sizeBytes, sha256 }: Listed): string => `${id} ${sizeBytes} ${sha256}\n`

const LINE = /^([0-9a-f-]{36}) (\d+) ([0-9a-f]{64})$/

/** Yields files by their ids. Throws BackupError. */
export async function* readList({ folder, manifest }: Backup): AsyncGenerator<Listed> {
  const file = path.join(folder, manifest.objects.file)
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, id, sizeBytes, sha256] = LINE.exec(line) ?? []
    if (!id || !sizeBytes || !sha256) throw new BackupError(`${file} is damaged: a line of it names no file`)
    yield { id, sizeBytes: Number(sizeBytes), sha256 }
  }
}

/** Callers ask for prefixes in order, so no list is held whole. */
export function takeByPrefix(list: AsyncGenerator<Listed>): (prefix: string) => Promise<Map<string, Listed>> {
  let next: IteratorResult<Listed, unknown> | undefined
  return async (prefix) => {
    const found = new Map<string, Listed>()
    for (next ??= await list.next(); !next.done && next.value.id.slice(0, 2) <= prefix; next = await list.next())
      if (next.value.id.startsWith(prefix)) found.set(next.value.id, next.value)
    return found
  }
}

export const PREFIXES = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))
