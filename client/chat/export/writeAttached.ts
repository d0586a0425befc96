import type { FileContent } from '../../../contract/chat/content.ts'
import { textBytes } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { CryptoFailure, isClosed } from '../../worker/crypto.ts'
import { nameOf } from '../files/fileWords.ts'
import { openHeld } from '../files/openFile.ts'
import type { Archive } from './zipArchive.ts'

/** How often a file is asked for again where the server is away or busy, and the wait before that. */
const RETRIES = 3
const WAIT_MS = 2000
const NAME_BYTES = 150

/** The path in the archive, from the chat's folder; null with the reason if the file is not there. */
export interface Placed {
  path: string | null
  reason?: string
}

/** The file of a message, and where it belongs. */
interface Attached {
  chatRoomId: string
  file: FileContent
  /** The folder of the chat's pages, and in it that of its files. */
  folder: string
  chat: string
  /** What the file's name begins with, so that no two are the same. */
  at: string
}

/** Writes a file into the archive. One that cannot be had is named with the reason. Throws ApiError 401, and what is no failure of one file. */
export async function writeAttached(
  env: Env,
  archive: Archive,
  { chatRoomId, file, folder, chat, at }: Attached,
): Promise<Placed> {
  if (!archive.hasRoom(file.sizeBytes)) return { path: null, reason: 'the archive would be larger than 4 GB' }
  for (let attempt = 0; ; attempt++) {
    try {
      const bytes = await openHeld(env, { chatRoomId, file }, { isKept: false })
      const path = `${chat}/${at}-${fileName(file.name)}`
      await archive.file(`${folder}/${path}`, bytes)
      return { path }
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof CryptoFailure) || isClosed(error)) throw error
      if (error instanceof ApiError && error.status === 401) throw error
      if (!isPassing(error) || attempt === RETRIES) return { path: null, reason: error.message }
      const waitMs = error.retryAfterSeconds === undefined ? WAIT_MS : error.retryAfterSeconds * 1000
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

const isPassing = (error: Error): error is ApiError =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** A file's own name as that of a file on any disk. */
export function fileName(name: string): string {
  const plain = nameOf(name)
    .replace(/[<>:"|?*]/g, '_')
    .replace(/[. ]+$/, '')
  const ending = /\.[^.]{1,12}$/.exec(plain)?.[0] ?? ''
  let stem = [...plain.slice(0, plain.length - ending.length)]
  while (textBytes(stem.join('') + ending) > NAME_BYTES) stem = stem.slice(0, -8)
  return stem.join('') + ending || 'file'
}
