import { createHash } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { type Backup, folderOfKey, type Listed, lineOf, objectFile, PREFIXES, readList, sync, takeByPrefix } from './manifest.ts'
import { type Measured, seal, writeMeasured } from './sealing.ts'
import { confirm, findKept, listObjects, type ObjectRow, type Session } from './store.ts'

export interface Objects {
  put(name: string, bytes: Readable, sizeBytes: number): Promise<void>
  get(name: string): Promise<Readable | undefined>
}

export interface Copied extends Measured {
  count: number
  totalBytes: number
  newBytes: number
  newCount: number
  lacking: string[]
}

/** Copies new files alone: bytes never change under an id. `before` is to the same recipient. */
export async function copyObjects(
  client: Session,
  objects: Objects,
  {
    folder,
    recipient,
    before,
    file,
  }: { folder: string; recipient: string | undefined; before: Backup | undefined; file: string },
): Promise<Copied> {
  const of = folderOfKey(recipient)
  const known = before ? takeByPrefix(readList(before)) : async () => new Map<string, Listed>()
  const copied = { count: 0, totalBytes: 0, newBytes: 0, newCount: 0, lacking: [] as string[] }
  async function* lines(): AsyncGenerator<Buffer> {
    for (const prefix of PREFIXES) {
      const before = await known(prefix)
      for (const row of await listObjects(client, prefix)) {
        const listed = await copyOne(objects, row, { folder, of, recipient, known: before.get(row.id) })
        if (listed === 'lacking') copied.lacking.push(row.id)
        if (typeof listed === 'string') continue
        copied.count += 1
        copied.totalBytes += listed.sizeBytes
        if (listed.isNew) copied.newBytes += listed.sizeBytes
        if (listed.isNew) copied.newCount += 1
        yield Buffer.from(lineOf(listed))
      }
    }
  }
  const measured = await writeMeasured(file, Readable.from(lines(), { objectMode: false }))
  await confirm(client)
  // A file may be finished or dropped between its row and its bytes.
  const lacking = await findKept(client, copied.lacking)
  return { ...copied, lacking, ...measured }
}

interface Place {
  folder: string
  of: string
  recipient: string | undefined
  known: Listed | undefined
}

/** `gone`: the file is dropped. `lacking`: the server should have it. */
async function copyOne(
  objects: Objects,
  { id, sha256, isKept }: ObjectRow,
  { folder, of, recipient, known }: Place,
): Promise<(Listed & { isNew: boolean }) | 'gone' | 'lacking'> {
  const file = objectFile(folder, of, id)
  if (known && (await sizeOf(file)) === known.sizeBytes) return { ...known, isNew: false }
  const bytes = await objects.get(id)
  if (!bytes) return isKept ? 'lacking' : 'gone'
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const part = `${file}.part`
  await rm(part, { force: true })
  const hash = createHash('sha256')
  const measured = await writeMeasured(part, await seal(Readable.from(hashed(bytes, hash), { objectMode: false }), recipient))
  if (hash.digest('hex') !== sha256) {
    await rm(part)
    return isKept ? 'lacking' : 'gone'
  }
  await rename(part, file)
  await sync(path.dirname(file))
  return { id, ...measured, isNew: true }
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
