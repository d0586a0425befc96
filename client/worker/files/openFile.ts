import type { FileContent } from '../../../contract/chat/content.ts'
import { type Bytes, fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { dropFiles, passOverOpen, readFile } from '../vault/disk.ts'
import { writeBehind } from '../vault/writeBehind.ts'
import * as arriving from './arrivingFile.ts'
import { openFile as open, type Stated } from './sealedfile.ts'

/** Takes bytes; undefined ends the file. */
export const handIn = (arrival: string, piece: Bytes | undefined): void => arriving.handIn(arrival, piece)

export interface ToOpen {
  chatRoomId: string
  content: FileContent
  /** A new name each time. */
  arrival?: string
  isKept?: boolean
  type?: string
}

/** Returns the arriving or the kept file, if any. Throws what `openFile` of `sealedfile.ts` throws, or 'closed'. */
export async function openFile(
  live: Live,
  { chatRoomId, content, arrival, isKept = true, type }: ToOpen,
  isOpen: () => boolean,
): Promise<Blob | undefined> {
  const place: [string, string, string] = [live.userId, chatRoomId, content.object]
  const stated = { ...content, key: fromBase64(content.key), hash: fromBase64(content.hash) }
  if (arrival) return await openArriving(stated, place, { arrival, isKept, type, isOpen })
  const bytes = await readFile(...place)
  if (!bytes) return undefined
  try {
    return handedOut(await open(stated, bytes, type), isOpen)
  } catch (error) {
    // The page fetches a spoiled file again.
    if (!(error instanceof CryptoFailure) || error.code === 'closed') throw error
    await dropFiles(...place).catch(passOverOpen)
    return undefined
  }
}

async function openArriving(
  stated: Stated,
  place: [string, string, string],
  { arrival, isKept, type, isOpen }: { arrival: string; isKept: boolean; type: string | undefined; isOpen: () => boolean },
): Promise<Blob> {
  const pieces: Bytes[] = []
  const sealed = arriving.arrivalOf(arrival, (piece) => {
    if (isKept) pieces.push(piece)
  })
  const file = handedOut(await open(stated, sealed, type), isOpen)
  if (isKept) writeBehind(place, pieces)
  return file
}

/** The account may be closed meanwhile. */
function handedOut(file: Blob, isOpen: () => boolean): Blob {
  if (!isOpen()) throw new CryptoFailure('closed', 'The keys of this browser are closed')
  return file
}
