import { vi } from 'vitest'
import type { Bytes } from '../../contract/ground/bytes.ts'

interface Kept {
  bytes: Bytes
  lastModified: number
  isOpen: boolean
}
export type Folder = Map<string, Folder | Kept>

/** What our code uses of a browser's private file system. */
export interface PrivateDisk {
  root: Folder
  /** So many bytes a file may have. */
  roomBytes: number
  /** False: no file can be opened for writing. */
  hasWriting: boolean
  /** False: a file does not move. */
  hasMoving: boolean
}

const failure = (name: string) => new DOMException(`The disk of this test: ${name}`, name)

class DirectoryHandle {}
class FileHandle {}

/** Gives this thread a private file system, until the globals are put back. */
export function privateDisk(roomBytes = 1e9): PrivateDisk {
  const disk: PrivateDisk = { root: new Map(), roomBytes, hasWriting: true, hasMoving: true }
  vi.stubGlobal('navigator', { storage: { getDirectory: async () => folderHandle(disk, 'root', disk.root) } })
  vi.stubGlobal('FileSystemDirectoryHandle', DirectoryHandle)
  vi.stubGlobal('FileSystemFileHandle', FileHandle)
  return disk
}

function folderHandle(disk: PrivateDisk, name: string, folder: Folder): object {
  return Object.assign(new DirectoryHandle(), {
    name,
    folder,
    async getDirectoryHandle(inner: string, { create }: { create: boolean }) {
      const known = folder.get(inner) ?? (create ? new Map() : undefined)
      if (!(known instanceof Map)) throw failure('NotFoundError')
      folder.set(inner, known)
      return folderHandle(disk, inner, known)
    },
    async getFileHandle(inner: string, { create = false } = {}) {
      if (!folder.has(inner) && !create) throw failure('NotFoundError')
      if (!folder.has(inner) && disk.roomBytes === 0) throw failure('QuotaExceededError')
      if (!folder.has(inner)) folder.set(inner, { bytes: new Uint8Array(), lastModified: Date.now(), isOpen: false })
      return fileHandle(disk, inner, folder)
    },
    async removeEntry(inner: string) {
      const known = folder.get(inner)
      if (known && !(known instanceof Map) && known.isOpen) throw failure('NoModificationAllowedError')
      if (!folder.delete(inner)) throw failure('NotFoundError')
    },
    async *values() {
      for (const [inner, known] of folder)
        yield known instanceof Map ? folderHandle(disk, inner, known) : fileHandle(disk, inner, folder)
    },
  })
}

function fileHandle(disk: PrivateDisk, name: string, folder: Folder): object {
  const kept = folder.get(name) as Kept
  const resize = (size: number) => {
    if (size > disk.roomBytes) throw failure('QuotaExceededError')
    const bytes = new Uint8Array(size)
    bytes.set(kept.bytes.subarray(0, size))
    kept.bytes = bytes
  }
  const handle = Object.assign(new FileHandle(), {
    name,
    getFile: async () => new File([kept.bytes], name, { lastModified: kept.lastModified }),
    async createSyncAccessHandle() {
      if (!disk.hasWriting) throw failure('NotSupportedError')
      if (kept.isOpen) throw failure('NoModificationAllowedError')
      kept.isOpen = true
      return {
        truncate: resize,
        write(chunk: Bytes, { at }: { at: number }) {
          if (at + chunk.length > disk.roomBytes) throw failure('QuotaExceededError')
          if (at + chunk.length > kept.bytes.length) resize(at + chunk.length)
          kept.bytes.set(chunk, at)
          kept.lastModified = Date.now()
          return chunk.length
        },
        flush: () => undefined,
        close() {
          kept.isOpen = false
        },
      }
    },
  })
  if (!disk.hasMoving) return handle
  return Object.assign(handle, {
    async move(to: { folder: Folder }, newName: string) {
      folder.delete(name)
      to.folder.set(newName, kept)
    },
  })
}
