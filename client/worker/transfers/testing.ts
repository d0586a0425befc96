import { createHash, randomUUID } from 'node:crypto'
import type { TransferContent } from '../../../contract/chat/content.ts'
import { type Bytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { type Call, connected, type End } from '../calls/testing.ts'
import { keepOffer, sealChunks } from './offering.ts'
import { keepReceiving, missingChunks, openChunks } from './receiving.ts'

/** Bytes that do not repeat within a file. */
export const bytesOf = (length: number): Bytes =>
  Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8) * 13 + (at >> 16)) & 255)

export const hashOf = (bytes: Uint8Array): string => toBase64(createHash('sha256').update(bytes).digest())

export interface Moving {
  sender: End
  receiver: End
  content: TransferContent
  chatRoomId: string
  transferId: string
}

export async function offersFile(sender: End, receiver: End, file: Blob, name = 'plan.pdf'): Promise<Moving> {
  const [transferId, chatRoomId] = [randomUUID(), directRoomId(sender.live.userId, receiver.live.userId)]
  const about = { name, mediaType: 'application/pdf', at: new Date().toISOString() }
  const { content } = await keepOffer(sender.live, { chatRoomId, transferId, file, ...about })
  return { sender, receiver, content, chatRoomId, transferId }
}

export const receives = ({ receiver, chatRoomId, content }: Moving) =>
  keepReceiving(receiver.live, { chatRoomId, content, at: new Date().toISOString() })

export const connects = ({ sender, receiver, transferId }: Moving, attempt = 1): Promise<Call> =>
  connected(receiver, sender, { subject: 'transfer', callId: transferId, attempt })

/** Offered, taken and connected. */
export async function underWay(sender: End, receiver: End, file: Bytes, name?: string): Promise<Moving> {
  const moving = await offersFile(sender, receiver, new Blob([file]), name)
  await receives(moving)
  await connects(moving)
  return moving
}

export const seals = ({ sender, transferId }: Moving, from: number, count: number, attempt = 1): Promise<Bytes> =>
  sealChunks(sender.live, { transferId, attempt, from, count })

export const opens = ({ receiver, transferId }: Moving, frames: Bytes, attempt = 1): Promise<number> =>
  openChunks(receiver.live, { transferId, attempt }, frames.slice())

/** Brings over whatever is missing. */
export async function brings(moving: Moving, attempt = 1, step = 64): Promise<void> {
  const { receiver, transferId, chatRoomId } = moving
  for (const [from, to] of await missingChunks(receiver.live, { transferId, chatRoomId }))
    for (let at = from; at < to; at += step)
      await opens(moving, await seals(moving, at, Math.min(step, to - at), attempt), attempt)
}
