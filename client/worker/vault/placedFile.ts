import type { Bytes } from '../../../contract/ground/bytes.ts'
import { absent, folderAt, memory, memoryKey, openToWrite, orQuota } from './disk.ts'
import { exclusive } from './exclusive.ts'

type Place = [userId: string, folder: string, name: string]

export interface Run {
  at: number
  bytes: Bytes
}

/** Reserves the bytes. Returns false for one in memory. Throws 'quota'. */
export const makePlaced = (place: Place, sizeBytes: number): Promise<boolean> =>
  exclusive(memoryKey(...place), async () => {
    const folder = await folderAt([place[0], place[1]], true)
    const file = folder && (await openToWrite(folder, place[2]).catch(orQuota))
    if (!folder || !file) {
      memory.set(memoryKey(...place), new File([], place[2]))
      return false
    }
    try {
      file.truncate(0)
      file.truncate(sizeBytes)
      file.close()
    } catch (error) {
      file.close()
      await folder.removeEntry(place[2])
      return orQuota(error)
    }
    return true
  })

/** Returns false if the file is gone. Throws 'quota', after which some bytes may be there. */
export const writePlaced = (place: Place, runs: Run[], { isFlushed = false } = {}): Promise<boolean> =>
  exclusive(memoryKey(...place), async () => {
    const held = memory.get(memoryKey(...place))
    if (held) memory.set(memoryKey(...place), new File([runs.reduce<Blob>(withRun, held)], place[2]))
    const folder = await folderAt([place[0], place[1]], false)
    // A deleted file does not come back.
    const handle = held ? undefined : await folder?.getFileHandle(place[2]).catch(absent)
    if (!handle) return held !== undefined
    const file = await handle.createSyncAccessHandle()
    try {
      for (const { at, bytes } of runs) writeWhole(file, bytes, at)
      if (isFlushed) file.flush()
    } catch (error) {
      return orQuota(error)
    } finally {
      file.close()
    }
    return true
  })

function writeWhole(file: FileSystemSyncAccessHandle, bytes: Bytes, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    const written = file.write(bytes.subarray(done), { at: at + done })
    if (written === 0) throw new DOMException('Nothing more can be written', 'QuotaExceededError')
    done += written
  }
}

function withRun(held: Blob, { at, bytes }: Run): Blob {
  const gap = new Uint8Array(Math.max(0, at - held.size))
  return new Blob([held.slice(0, at), gap, bytes, held.slice(at + bytes.length)])
}
