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

/** Albums whose last picture is not kept yet. */
const beginning = new Set<string>()

export const beginAlbum = (id: string): void => void beginning.add(id)
export const endAlbum = (id: string): void => void beginning.delete(id)

/** `active` leaves out what has failed or is paused, which holds nothing up. */
export function unfinishedAlbums(active: Upload[]): ReadonlySet<string> {
  const unfinished = active.filter(({ object }) => object === null)
  return new Set([...beginning, ...unfinished.flatMap(({ content }) => content.album?.id ?? [])])
}
