import type { TransferContent } from '../../../contract/chat/content.ts'
import type { Bytes } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'

// What this browser keeps of direct transfers: the sender's file, the receiver's pieces [Note: M11]. Sealed as rows of their room.

export interface TransferRow {
  content: TransferContent
  chatRoomId: string
  isMine: boolean
  /** False: it ends with the tab. */
  isKept: boolean
  /** `offered`: the sender's file waits. `receiving`: pieces are here. `done`: the whole file is here. */
  stage: 'offered' | 'receiving' | 'done'
  /** Chunks that are here. */
  have: number
  /** ISO 8601. */
  at: string
}

type Name = Pick<TransferRow, 'chatRoomId'> & { transferId: string }
interface Attempt {
  transferId: string
  attempt: number
}

/** Reads the file once, seals a copy, and states it. Throws 'file_read', 'quota'. */
export async function keepOffer(
  _live: Live,
  _offer: Name & { file: Blob; name: string; mediaType: string; at: string },
): Promise<TransferRow> {
  throw new Error('Not written')
}

/** Begins what comes, or returns what is here of it. Throws 'quota'. */
export async function keepReceiving(
  _live: Live,
  _offer: { chatRoomId: string; content: TransferContent; at: string },
): Promise<TransferRow> {
  throw new Error('Not written')
}

/** Of open rooms. */
export async function transferRows(_live: Live): Promise<TransferRow[]> {
  return []
}

/** [from, to) in order. */
export async function missingChunks(_live: Live, _name: Name): Promise<[number, number][]> {
  throw new Error('Not written')
}

/**
 * Frames of the chunks from `from`, each u32 number | u32 length | nonce 12 | sealed. Throws 'call_over' for another attempt, 'file_changed' if
 * the file is not what was offered any more.
 */
export async function sealChunks(_live: Live, _chunks: Attempt & { from: number; count: number }): Promise<Bytes> {
  throw new Error('Not written')
}

/** Opens and keeps frames. Returns how many chunks are here. What does not open is dropped: it is missing. Throws 'call_over', 'quota'. */
export async function openChunks(_live: Live, _frames: Attempt & { frames: Bytes }): Promise<number> {
  throw new Error('Not written')
}

/** Checks size and hash of the whole, and keeps it as a file of its chat. Throws 'file_hash', after which nothing is kept. */
export async function finishTransfer(_live: Live, _name: Name): Promise<void> {
  throw new Error('Not written')
}

/** undefined: it is not in this browser any more. */
export async function openTransfer(_live: Live, _name: Name): Promise<Blob | undefined> {
  throw new Error('Not written')
}

/** Deletes what is kept of it, but what was received whole. */
export async function dropTransfer(_live: Live, _name: Name): Promise<void> {
  throw new Error('Not written')
}
