import type { Bytes } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { filesOf } from './list.ts'

// Sealed files lie beside the vault, in the browser's private file system: a folder an account, in it a folder a room for what was
// opened or sent, and one for what still waits to be sent. Their keys lie in the rows of the vault. A browser without such a file system
// holds them in memory.

/** The folder of what waits to be sent. */
export const WAITING = 'waiting'

const memory = new Map<string, Blob>()
const memoryKey = (...path: string[]): string => path.join('/')

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
 * false if it lies in memory alone. Throws CryptoFailure('quota').
 */
export async function writeFile<T>(
  [userId, folder, name]: [string, string, string],
  chunks: AsyncGenerator<Bytes, T>,
): Promise<{ result: T; isKept: boolean }> {
  const place = await folderAt([userId, folder], true)
  if (!place) {
    const parts: Bytes[] = []
    const result = await eachOf(chunks, (chunk) => void parts.push(chunk))
    memory.set(memoryKey(userId, folder, name), new Blob(parts))
    return { result, isKept: false }
  }
  const handle = await place.getFileHandle(name, { create: true })
  const file = await handle.createSyncAccessHandle()
  try {
    file.truncate(0)
    let at = 0
    const result = await eachOf(chunks, (chunk) => {
      at += file.write(chunk, { at })
    })
    file.flush()
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

async function eachOf<T>(chunks: AsyncGenerator<Bytes, T>, take: (chunk: Bytes) => void): Promise<T> {
  for (let next = await chunks.next(); ; next = await chunks.next()) {
    if (next.done) return next.value
    take(next.value)
  }
}

/** A sealed file; undefined if it is not here. */
export async function readFile(...[userId, folder, name]: [string, string, string]): Promise<Blob | undefined> {
  const handle = await (await folderAt([userId, folder], false))?.getFileHandle(name).catch(absent)
  return handle ? handle.getFile() : memory.get(memoryKey(userId, folder, name))
}

/** Moves a file that has been sent into the folder of its room. A browser that cannot move files deletes it, and fetches it when asked. */
export async function keepSent(userId: string, waiting: string, [folder, name]: [string, string]): Promise<void> {
  const held = memory.get(memoryKey(userId, WAITING, waiting))
  if (held) memory.set(memoryKey(userId, folder, name), held)
  const handle = await (await folderAt([userId, WAITING], false))?.getFileHandle(waiting).catch(absent)
  const place = handle && 'move' in handle ? await folderAt([userId, folder], true) : undefined
  if (place) await (handle as FileSystemFileHandle & Movable).move(place, name)
  await dropFiles(userId, WAITING, waiting)
}

interface Movable {
  move(folder: FileSystemDirectoryHandle, name: string): Promise<void>
}

/** Deletes a file, or the folder of a room. */
export async function dropFiles(...path: [string, string, string?]): Promise<void> {
  const names = path.filter((name) => name !== undefined)
  const beginning = memoryKey(...names)
  for (const key of memory.keys()) if (key === beginning || key.startsWith(`${beginning}/`)) memory.delete(key)
  await (await folderAt(names.slice(0, -1), false))?.removeEntry(names.at(-1) ?? '', { recursive: true }).catch(absent)
}

function absent(error: unknown): undefined {
  if (!(error instanceof DOMException) || error.name !== 'NotFoundError') throw error
}
