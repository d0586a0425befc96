import type { Bytes } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { filesOf } from './listedVaults.ts'
import { writtenAt } from './unwrittenFiles.ts'

// The vault's rows have the files' keys. Browsers without a file system use memory.

export const WAITING = 'waiting'

export const memory = new Map<string, File>()
export const memoryKey = (...path: string[]): string => path.join('/')

export async function folderAt(path: string[], create: boolean): Promise<FileSystemDirectoryHandle | undefined> {
  if (typeof navigator === 'undefined' || !navigator.storage?.getDirectory) return undefined
  try {
    let folder = await navigator.storage.getDirectory()
    for (const name of path.map((part, at) => (at === 0 ? filesOf(part) : part)))
      folder = await folder.getDirectoryHandle(name, { create })
    return folder
  } catch (error) {
    // Some private windows have no file system.
    if (error instanceof DOMException && ['NotFoundError', 'SecurityError', 'UnknownError'].includes(error.name)) return undefined
    throw error
  }
}

/** Copies sealed chunks to a file; `isKept`: on disk. Without `isFlushed` a crash may leave other bytes. Throws 'quota'. */
export async function writeFile<T>(
  [userId, folder, name]: [string, string, string],
  chunks: AsyncGenerator<Bytes, T>,
  { isFlushed = true } = {},
): Promise<{ result: T; isKept: boolean }> {
  const place = await folderAt([userId, folder], true)
  const file = place && (await openToWrite(place, name))
  if (!place || !file) {
    const parts: Blob[] = []
    const result = await eachOf(chunks, (chunk) => void parts.push(new Blob([chunk])))
    memory.set(memoryKey(userId, folder, name), new File(parts, name))
    return { result, isKept: false }
  }
  try {
    file.truncate(0)
    let at = 0
    const result = await eachOf(chunks, (chunk) => {
      at += file.write(chunk, { at })
    })
    if (isFlushed) file.flush()
    file.close()
    return { result, isKept: true }
  } catch (error) {
    file.close()
    await place.removeEntry(name)
    return orQuota(error)
  }
}

/** Throws 'quota' or the error. */
export function orQuota(error: unknown): never {
  if (error instanceof DOMException && error.name === 'QuotaExceededError')
    throw new CryptoFailure('quota', 'This browser has no room left for this file', { cause: error })
  throw error
}

/** Some builds of WebKit cannot write files. */
export async function openToWrite(
  place: FileSystemDirectoryHandle,
  name: string,
): Promise<FileSystemSyncAccessHandle | undefined> {
  const handle = await place.getFileHandle(name, { create: true })
  try {
    return await handle.createSyncAccessHandle()
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'NotSupportedError') throw error
    await place.removeEntry(name)
    return undefined
  }
}

/** Returns false if files stay in memory. */
export async function writesToDisk(userId: string): Promise<boolean> {
  try {
    const place = await folderAt([userId], true)
    const name = `probe-${crypto.randomUUID()}`
    const probe = place && (await openToWrite(place, name))
    probe?.close()
    await (probe && place.removeEntry(name))
    return probe !== undefined
  } catch (error) {
    // A full disk can hold files too.
    if (error instanceof DOMException && error.name === 'QuotaExceededError') return true
    throw error
  }
}

async function eachOf<T>(chunks: AsyncGenerator<Bytes, T>, take: (chunk: Bytes) => void): Promise<T> {
  for (let next = await chunks.next(); ; next = await chunks.next()) {
    if (next.done) return next.value
    take(next.value)
  }
}

export async function readFile(...[userId, folder, name]: [string, string, string]): Promise<Blob | undefined> {
  await writtenAt(memoryKey(userId, folder, name))
  const handle = await (await folderAt([userId, folder], false))?.getFileHandle(name).catch(absent)
  return handle ? handle.getFile() : memory.get(memoryKey(userId, folder, name))
}

/** Bytes; ms since 1970. */
type Listed = Pick<File, 'size' | 'lastModified'>

/** Returns an account's files by folder and name. */
export async function listFiles(userId: string, only?: string): Promise<Map<string, Map<string, Listed>>> {
  await writtenAt(userId)
  const folders = new Map<string, Map<string, Listed>>()
  const note = (folder: string, name: string, file: Listed) =>
    folders.set(folder, (folders.get(folder) ?? new Map<string, Listed>()).set(name, file))
  for (const [key, file] of memory) {
    const [owner, folder = '', name = ''] = key.split('/')
    if (owner === userId && folder === (only ?? folder)) note(folder, name, file)
  }
  for (const folder of await entriesOf(await folderAt([userId], false))) {
    if (!(folder instanceof FileSystemDirectoryHandle) || folder.name !== (only ?? folder.name)) continue
    for (const file of await entriesOf(folder)) {
      const found = file instanceof FileSystemFileHandle ? await file.getFile().catch(absent) : undefined
      if (found) note(folder.name, file.name, found)
    }
  }
  return folders
}

async function entriesOf(folder: FileSystemDirectoryHandle | undefined): Promise<FileSystemHandle[]> {
  const entries: FileSystemHandle[] = []
  if (folder) for await (const entry of folder.values()) entries.push(entry)
  return entries
}

/** Moves a file, or deletes one that cannot move, unless it `isOnly` here. Returns false unless a file on disk moved. */
export async function moveFile(
  userId: string,
  from: [string, string],
  to: [string, string],
  { isOnly = false } = {},
): Promise<boolean> {
  await writtenAt(memoryKey(userId, ...from))
  const held = memory.get(memoryKey(userId, ...from))
  if (held) memory.set(memoryKey(userId, ...to), held)
  const handle = await (await folderAt([userId, from[0]], false))?.getFileHandle(from[1]).catch(absent)
  const place = handle && 'move' in handle ? await folderAt([userId, to[0]], true) : undefined
  if (place) await (handle as FileSystemFileHandle & Movable).move(place, to[1])
  else if (handle && isOnly) return false
  await dropFiles(userId, ...from)
  return place !== undefined
}

interface Movable {
  move(folder: FileSystemDirectoryHandle, name: string): Promise<void>
}

/** Deletes a file, or a room's folder. */
export async function dropFiles(...path: [string, string, string?]): Promise<void> {
  const names = path.filter((name) => name !== undefined)
  const beginning = memoryKey(...names)
  await writtenAt(beginning)
  for (const key of memory.keys()) if (key === beginning || key.startsWith(`${beginning}/`)) memory.delete(key)
  await (await folderAt(names.slice(0, -1), false))?.removeEntry(names.at(-1) ?? '', { recursive: true }).catch(absent)
}

export function absent(error: unknown): undefined {
  if (!(error instanceof DOMException) || error.name !== 'NotFoundError') throw error
}

/** Another tab writes this file. */
export function passOverOpen(error: unknown): void {
  if (!(error instanceof DOMException) || error.name !== 'NoModificationAllowedError') throw error
}
