import type { Bytes } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { filesOf } from './listedVaults.ts'
import { writtenAt } from './unwrittenFiles.ts'

// Sealed files lie beside the vault, in the browser's private file system: a folder an account, in it a folder a room for what was
// opened or sent, and one for what still waits to be sent. Their keys lie in the rows of the vault. A browser without such a file system
// holds them in memory.

/** The folder of what waits to be sent. */
export const WAITING = 'waiting'

const memory = new Map<string, File>()
export const memoryKey = (...path: string[]): string => path.join('/')

/** The folder of an account, or one in it; undefined if there is none, or no such file system. */
async function folderAt(path: string[], create: boolean): Promise<FileSystemDirectoryHandle | undefined> {
  if (typeof navigator === 'undefined' || !navigator.storage?.getDirectory) return undefined
  try {
    let folder = await navigator.storage.getDirectory()
    for (const name of path.map((part, at) => (at === 0 ? filesOf(part) : part)))
      folder = await folder.getDirectoryHandle(name, { create })
    return folder
  } catch (error) {
    // Private windows of some browsers have none.
    if (error instanceof DOMException && ['NotFoundError', 'SecurityError', 'UnknownError'].includes(error.name)) return undefined
    throw error
  }
}

/**
 * Writes a sealed file, chunk by chunk, and returns what `chunks` returns. What is left of a write that failed is deleted. `isKept` is
 * false if it lies in memory alone. Without `isFlushed` a crash of the machine may leave other bytes. Throws CryptoFailure('quota').
 */
export async function writeFile<T>(
  [userId, folder, name]: [string, string, string],
  chunks: AsyncGenerator<Bytes, T>,
  { isFlushed = true } = {},
): Promise<{ result: T; isKept: boolean }> {
  const place = await folderAt([userId, folder], true)
  const file = place && (await openToWrite(place, name))
  if (!place || !file) {
    const parts: Bytes[] = []
    const result = await eachOf(chunks, (chunk) => void parts.push(chunk))
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
    if (error instanceof DOMException && error.name === 'QuotaExceededError')
      throw new CryptoFailure('quota', 'This browser has no room left for this file', { cause: error })
    throw error
  }
}

/** Opens a file for writing; undefined if this file system cannot, as in some builds of WebKit. Makes an empty file where there is none. */
async function openToWrite(place: FileSystemDirectoryHandle, name: string): Promise<FileSystemSyncAccessHandle | undefined> {
  const handle = await place.getFileHandle(name, { create: true })
  try {
    return await handle.createSyncAccessHandle()
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'NotSupportedError') throw error
    await place.removeEntry(name)
    return undefined
  }
}

/** True if this browser writes files to a disk; false if it holds them in memory. Tries it with an empty file, which it deletes. */
export async function writesToDisk(userId: string): Promise<boolean> {
  try {
    const place = await folderAt([userId], true)
    const name = `probe-${crypto.randomUUID()}`
    const probe = place && (await openToWrite(place, name))
    probe?.close()
    await (probe && place.removeEntry(name))
    return probe !== undefined
  } catch (error) {
    // A full disk is one, and whoever comes to clear it must see what lies there.
    if (error instanceof DOMException && error.name === 'QuotaExceededError') return true
    throw error
  }
}

/** Hands over what a generator yields, and returns what it returns. */
async function eachOf<T>(chunks: AsyncGenerator<Bytes, T>, take: (chunk: Bytes) => void): Promise<T> {
  for (let next = await chunks.next(); ; next = await chunks.next()) {
    if (next.done) return next.value
    take(next.value)
  }
}

/** A sealed file; undefined if it is not here. */
export async function readFile(...[userId, folder, name]: [string, string, string]): Promise<Blob | undefined> {
  await writtenAt(memoryKey(userId, folder, name))
  const handle = await (await folderAt([userId, folder], false))?.getFileHandle(name).catch(absent)
  return handle ? handle.getFile() : memory.get(memoryKey(userId, folder, name))
}

/** A file's size in bytes, and when it was last written, in milliseconds since 1970. */
type Listed = Pick<File, 'size' | 'lastModified'>

/** What lies in the folders of an account, or in one of them: by folder, the files by their names. */
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
      // One that another tab has just deleted has no size.
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

/**
 * Moves a file into another folder of the account. A browser that cannot move files deletes it. False if there is no file, or it lies in
 * memory alone.
 */
export async function moveFile(userId: string, from: [string, string], to: [string, string]): Promise<boolean> {
  await writtenAt(memoryKey(userId, ...from))
  const held = memory.get(memoryKey(userId, ...from))
  if (held) memory.set(memoryKey(userId, ...to), held)
  const handle = await (await folderAt([userId, from[0]], false))?.getFileHandle(from[1]).catch(absent)
  const place = handle && 'move' in handle ? await folderAt([userId, to[0]], true) : undefined
  if (place) await (handle as FileSystemFileHandle & Movable).move(place, to[1])
  await dropFiles(userId, ...from)
  return place !== undefined
}

interface Movable {
  move(folder: FileSystemDirectoryHandle, name: string): Promise<void>
}

/** Deletes a file, or the folder of a room. */
export async function dropFiles(...path: [string, string, string?]): Promise<void> {
  const names = path.filter((name) => name !== undefined)
  const beginning = memoryKey(...names)
  await writtenAt(beginning)
  for (const key of memory.keys()) if (key === beginning || key.startsWith(`${beginning}/`)) memory.delete(key)
  await (await folderAt(names.slice(0, -1), false))?.removeEntry(names.at(-1) ?? '', { recursive: true }).catch(absent)
}

function absent(error: unknown): undefined {
  if (!(error instanceof DOMException) || error.name !== 'NotFoundError') throw error
}
