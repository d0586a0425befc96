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
export function inAlbums(files: File[]): Part[] {
  const pictures = files.filter(isPicture)
  const others = files.filter((file) => !isPicture(file)).map((file) => ({ file }))
  if (pictures.length < 2) return files.map((file) => ({ file }))
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
    void (globalThis.navigator?.locks?.request(lockOf(id), hold) ?? hold())
  })

export function endAlbum(id: string): void {
  begun.get(id)?.()
  begun.set(id, null)
}

/** `active` leaves out what has failed or is paused, which holds nothing up. */
export async function unfinishedAlbums(active: Upload[]): Promise<ReadonlySet<string>> {
  const { held = [] } = (await globalThis.navigator?.locks?.query()) ?? {}
  // The lock of an own album ends a moment after its end.
  const isBegun = (id: string) => (begun.has(id) ? begun.get(id) !== null : held.some(({ name }) => name === lockOf(id)))
  const albums = active.flatMap(({ object, content: { album } }) =>
    album && (object === null || isBegun(album.id)) ? album.id : [],
  )
  return new Set(albums)
}
