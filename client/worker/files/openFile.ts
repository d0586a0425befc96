import type { FileContent } from '../../../contract/chat/content.ts'
import { type Bytes, fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { dropFiles, readFile } from '../vault/disk.ts'
import { writeBehind } from '../vault/writeBehind.ts'
import * as arriving from './arrivingFile.ts'
import { openFile as open, type Stated } from './sealedfile.ts'

// Files of messages are opened when they are looked at: from what this browser keeps, or while they come from the server.

/** What `arriving.handIn` does. */
export const handIn = (arrival: string, piece: Bytes | undefined): void => arriving.handIn(arrival, piece)

export interface ToOpen {
  chatRoomId: string
  content: FileContent
  /** If its sealed bytes are handed in from now on, as the server answers them: the name under which (`handIn`), another each time. */
  arrival?: string
  /** False if what the server has answered is not to stay in this browser. */
  isKept?: boolean
  /** Under which the file is held. */
  type?: string
}

/**
 * Opens a message's file: the one that arrives, which is kept behind the opening, or what this browser keeps of it, undefined where that is
 * nothing, or spoiled. `isOpen` is false once the account was closed: nothing is handed out or kept after it. Throws what `openFile` of
 * `sealedfile.ts` throws, and CryptoFailure('closed').
 */
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
    // A crash of the machine may have left other bytes: they are fetched again.
    if (!(error instanceof CryptoFailure) || error.code === 'closed') throw error
    await dropFiles(...place).catch(passOverOpen)
    return undefined
  }
}

/** What arrives is opened first: to write it takes as long again. */
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

/** The person has closed the account while it came. */
function handedOut(file: Blob, isOpen: () => boolean): Blob {
  if (!isOpen()) throw new CryptoFailure('closed', 'The keys of this browser are closed')
  return file
}

/** Another tab is writing it. */
export function passOverOpen(error: unknown): void {
  if (!(error instanceof DOMException) || error.name !== 'NoModificationAllowedError') throw error
}
