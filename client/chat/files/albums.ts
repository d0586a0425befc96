import type { FileContent } from '../../../contract/chat/content.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { heldType } from './fileWords.ts'
import type { Upload } from './uploadsState.ts'

interface Part {
  file: File
  album?: NonNullable<FileContent['album']>
}

const isPicture = ({ type }: File): boolean => heldType(type).startsWith('image/')

/** Pictures stand first, in albums of about one size; a single one has none. */
export function inAlbums(files: File[], isApart = false): Part[] {
  const pictures = files.filter(isPicture)
  const others = files.filter((file) => !isPicture(file)).map((file) => ({ file }))
  if (isApart || pictures.length < 2) return files.map((file) => ({ file }))
  const size = Math.ceil(pictures.length / Math.ceil(pictures.length / SAID.albumMax))
  const ids = Array.from({ length: Math.ceil(pictures.length / size) }, () => crypto.randomUUID())
  const parts = pictures.map((file, at) => {
    const id = ids[Math.floor(at / size)]
    return id === undefined ? { file } : { file, album: { id, place: at % size } }
  })
  return [...parts, ...others]
}

/** What ends the lock of an album whose last picture this tab has not kept yet; null once it has. */
const begun = new Map<string, (() => void) | null>()

const lockOf = (id: string): string => `conclave/album/${id}`

/** Other tabs see by its lock that an album is not whole yet. */
export const beginAlbum = (id: string): Promise<void> =>
  new Promise((held) => {
    const hold = () =>
      new Promise<void>((end) => {
        begun.set(id, end)
        held()
      })
    void (globalThis.navigator?.locks?.request(lockOf(id), hold) ?? hold()).then(() => begun.delete(id))
  })

export function endAlbum(id: string): void {
  begun.get(id)?.()
  begun.set(id, null)
}

/** Albums of other tabs. */
const awaited = new Set<string>()

async function awaitAlbum(id: string, onEnd: () => void): Promise<void> {
  if (awaited.has(id)) return
  awaited.add(id)
  await navigator.locks.request(lockOf(id), { mode: 'shared' }, () => undefined)
  awaited.delete(id)
  onEnd()
}

/**
 * `active` leaves out what has failed or is paused, which holds nothing up. `onEnd`: another tab has kept the last picture of an
 * album, or is gone.
 */
export async function unfinishedAlbums(active: Upload[], onEnd: () => void): Promise<ReadonlySet<string>> {
  if (!active.some(({ content }) => content.album)) return new Set()
  const { held = [] } = (await globalThis.navigator?.locks?.query()) ?? {}
  const isBegun = (id: string) => {
    // The lock of an own album ends a moment after its end.
    if (begun.has(id)) return begun.get(id) !== null
    const isElsewhere = held.some(({ name }) => name === lockOf(id))
    if (isElsewhere) void awaitAlbum(id, onEnd)
    return isElsewhere
  }
  const albums = active.flatMap(({ object, content: { album } }) =>
    album && (object === null || isBegun(album.id)) ? album.id : [],
  )
  return new Set(albums)
}
