import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { Refusal } from '../../refuse.ts'
import type { Bucket } from './bucket.ts'

/** A younger unfinished file may belong to another process. */
const UNFINISHED_MS = 24 * 60 * 60 * 1000

/** A person must empty a full disk. */
const RETRY_SECONDS = 60

export async function openFolder(folder: string): Promise<Bucket> {
  const unfinished = path.join(folder, 'unfinished')
  await mkdir(unfinished, { recursive: true, mode: 0o700 })
  for (const name of await readdir(unfinished)) {
    const { mtimeMs } = await stat(path.join(unfinished, name))
    if (Date.now() - mtimeMs > UNFINISHED_MS) await rm(path.join(unfinished, name), { force: true })
  }
  // Two characters divide a million files into folders that list quickly.
  const placeOf = (name: string) => path.join(folder, name.slice(0, 2))
  const fileOf = (name: string) => path.join(placeOf(name), name)

  return {
    async put(name, bytes, sizeBytes) {
      const part = path.join(unfinished, `${name}.${randomBytes(4).toString('hex')}`)
      try {
        await write(part, bytes, sizeBytes)
        await mkdir(placeOf(name), { recursive: true, mode: 0o700 })
        await rename(part, fileOf(name))
        await sync(placeOf(name))
      } catch (error) {
        await rm(part, { force: true })
        throw isFull(error) ? new Refusal('server_full', { retryAfterSeconds: RETRY_SECONDS }) : error
      }
    },
    get: (name, range) =>
      new Promise((resolve, reject) => {
        const file: Readable = createReadStream(fileOf(name), range && { start: range.first, end: range.last })
        file.once('ready', () => resolve(file))
        file.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(undefined) : reject(error)))
      }),
    remove: (name) => rm(fileOf(name), { force: true }),
    async list(prefix) {
      const names = await readdir(placeOf(prefix)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      return names.filter((name) => name.startsWith(prefix))
    },
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code))

/** Resolves when the file is on the disk. */
async function write(file: string, bytes: Readable, sizeBytes: number): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await writeFile(handle, bytes)
    const { size } = await handle.stat()
    if (size !== sizeBytes) throw new Error(`${size} bytes came instead of ${sizeBytes}`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Puts a renamed entry on the disk too. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
