import { strToU8, Zip, ZipDeflate, ZipPassThrough } from 'fflate'

/** A ZIP without its 64-bit form ends at 4 GiB and 65,535 files; some of both is left for what is written last. */
const BYTES_MAX = 4 * 1024 ** 3 - 256 * 1024 * 1024
const FILES_MAX = 60_000
/** What is handed to the browser at a time, which may put it on its disk. */
const PART_BYTES = 8 * 1024 * 1024
const STEP_BYTES = 1024 * 1024

export interface Archive {
  /** Opens a text of the archive. One is written at a time: what is pushed to the next waits in memory. */
  text(name: string): { push(text: string): void; end(text?: string): void }
  /** True if a file of so many bytes fits. */
  hasRoom(bytes: number): boolean
  /** Writes a file, a megabyte at a time, uncompressed. No text may be open. */
  file(name: string, bytes: Blob): Promise<void>
  end(): Blob
}

/** Opens a ZIP for streaming writes. A few megabytes of it are in the memory of the page, whatever its size. */
export function openArchive(): Archive {
  let [written, files, held] = [0, 0, 0]
  let parts: BlobPart[] = []
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    parts.push(new Uint8Array(bytes))
    written += bytes.length
    held += bytes.length
    if (held < PART_BYTES) return
    parts = [new Blob(parts)]
    held = 0
  })
  return {
    text(name) {
      const entry = new ZipDeflate(name, { level: 6 })
      files += 1
      zip.add(entry)
      return {
        push: (text) => entry.push(strToU8(text)),
        end: (text = '') => entry.push(strToU8(text), true),
      }
    },
    hasRoom: (bytes) => written + bytes <= BYTES_MAX && files < FILES_MAX,
    async file(name, bytes) {
      const entry = new ZipPassThrough(name)
      files += 1
      zip.add(entry)
      for (let at = 0; at < bytes.size; at += STEP_BYTES)
        entry.push(new Uint8Array(await bytes.slice(at, at + STEP_BYTES).arrayBuffer()))
      entry.push(new Uint8Array(0), true)
    },
    end() {
      zip.end()
      return new Blob(parts, { type: 'application/zip' })
    },
  }
}
