import type { FileContent } from '../../../contract/chat/content.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { exclusive, exclusiveIfFree } from '../../worker/vault/exclusive.ts'
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

/** Albums whose last picture this tab has not kept yet, and what ends that. */
const beginning = new Map<string, () => Promise<void>>()

const lockOf = (id: string): string => `album/${id}`

/** Other tabs see by its lock that an album is not whole yet. */
export const beginAlbum = (id: string): Promise<void> =>
  new Promise((held) => {
    const over: Promise<void> = exclusive(lockOf(id), () => {
      held()
      return new Promise<void>((end) => {
        beginning.set(id, () => {
          end()
          return over
        })
      })
    })
  })

/** Resolves once the lock is free. */
export async function endAlbum(id: string): Promise<void> {
  await beginning.get(id)?.()
  beginning.delete(id)
}

/** `active` leaves out what has failed or is paused, which holds nothing up. */
export async function unfinishedAlbums(active: Upload[]): Promise<ReadonlySet<string>> {
  const unfinished = new Set(active.flatMap(({ object, content }) => (object === null && content.album?.id) || []))
  for (const id of new Set(active.flatMap(({ content }) => content.album?.id ?? [])))
    if (beginning.has(id) || !(await exclusiveIfFree(lockOf(id), async () => true))) unfinished.add(id)
  return unfinished
}
