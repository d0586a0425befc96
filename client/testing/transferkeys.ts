import { createHash, randomBytes } from 'node:crypto'
import { chunksOf, TRANSFER_LIMITS } from '../../contract/chat/transferlimits.ts'
import type { Bytes } from '../../contract/ground/bytes.ts'
import type { Crypto, TransferRow } from '../worker/crypto.ts'
import { failure, standInKeys } from './callkeys.ts'

const { chunkBytes } = TRANSFER_LIMITS
const TAG_BYTES = 16

interface Kept extends TransferRow {
  pieces: Map<number, Bytes>
}

const tagOf = (transferId: string, number: number, attempt: number, bytes: Uint8Array): Buffer =>
  createHash('sha256').update(`${transferId} ${number} ${attempt}`).update(bytes).digest().subarray(0, TAG_BYTES)

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64')

/** The worker's verbs of direct transfers without its keys and its disk: a browser's, which its tabs share. */
export function standInTransfers(deviceId: string) {
  const keys = standInKeys()
  const kept = new Map<string, Kept>()
  const state = {
    ...{ deviceId, isLocked: false, isKept: true, hasChanged: false },
    /** Chunks that a browser has room for. */
    room: Number.POSITIVE_INFINITY,
    /** Bytes that were given to the page, or taken, and the most at once. */
    sealed: [] as number[],
    kept,
    posted: keys.state.lines,
    keys: keys.state,
  }
  const of = (transferId: string): Kept => {
    const one = kept.get(transferId)
    if (!one) throw failure('file_absent')
    return one
  }
  const rowOf = ({ pieces, ...row }: Kept): TransferRow => ({ ...row, have: row.stage === 'receiving' ? pieces.size : row.have })
  const wholeOf = ({ pieces, content }: Kept): Buffer =>
    Buffer.concat(Array.from({ length: chunksOf(content.sizeBytes) }, (_, at) => pieces.get(at) ?? new Uint8Array()))

  const verbs = {
    async keepOffer({ transferId, chatRoomId, file, name, mediaType, at }: Parameters<Crypto['keepOffer']>[0]) {
      const bytes = new Uint8Array(await file.arrayBuffer())
      const content = { type: 'transfer' as const, transferId, name, mediaType, sizeBytes: bytes.length, hash: hashOf(bytes) }
      const count = chunksOf(bytes.length)
      const pieces = new Map(Array.from({ length: count }, (_, at) => [at, bytes.slice(at * chunkBytes, (at + 1) * chunkBytes)]))
      const one: Kept = { content, chatRoomId, isMine: true, isKept: state.isKept, stage: 'offered', have: count, at, pieces }
      kept.set(transferId, one)
      return rowOf(one)
    },
    async keepReceiving({ chatRoomId, content, at }: Parameters<Crypto['keepReceiving']>[0]) {
      const before = kept.get(content.transferId)
      if (before) return rowOf(before)
      const row = { content, chatRoomId, isMine: false, isKept: state.isKept, stage: 'receiving' as const, have: 0, at }
      const one: Kept = { ...row, pieces: new Map() }
      kept.set(content.transferId, one)
      return rowOf(one)
    },
    keepsTransfers: async () => kept.size > 0,
    transferRows: async () => (state.isLocked ? [] : [...kept.values()].map(rowOf)),
    async missingChunks({ transferId }: { transferId: string }) {
      const { content, pieces } = of(transferId)
      const missing: [number, number][] = []
      for (let at = 0; at < chunksOf(content.sizeBytes); at++) {
        const last = missing.at(-1)
        if (pieces.has(at)) continue
        if (last?.[1] === at) last[1] = at + 1
        else missing.push([at, at + 1])
      }
      return missing
    },
    async sealChunks({ transferId, attempt, from, count }: Parameters<Crypto['sealChunks']>[0]) {
      keys.state.holds({ callId: transferId, attempt })
      if (state.hasChanged) throw failure('file_changed')
      const frames = Array.from({ length: count }, (_, at) => {
        const bytes = of(transferId).pieces.get(from + at) ?? new Uint8Array()
        const head = Buffer.alloc(8)
        head.writeUInt32BE(from + at)
        head.writeUInt32BE(12 + bytes.length + TAG_BYTES, 4)
        return Buffer.concat([head, randomBytes(12), bytes, tagOf(transferId, from + at, attempt, bytes)])
      })
      state.sealed.push(...frames.map((_, at) => from + at))
      return new Uint8Array(Buffer.concat(frames))
    },
    async openChunks(...[{ transferId, attempt }, frames]: Parameters<Crypto['openChunks']>) {
      keys.state.holds({ callId: transferId, attempt })
      const { pieces } = of(transferId)
      const all = Buffer.from(frames)
      for (let at = 0; at < all.length; ) {
        const number = all.readUInt32BE(at)
        const end = at + 8 + all.readUInt32BE(at + 4)
        const bytes = new Uint8Array(all.subarray(at + 20, end - TAG_BYTES))
        if (pieces.size >= state.room) throw failure('quota')
        if (all.subarray(end - TAG_BYTES, end).equals(tagOf(transferId, number, attempt, bytes))) pieces.set(number, bytes)
        at = end
      }
      return pieces.size
    },
    async finishTransfer({ transferId }: { transferId: string }) {
      const one = of(transferId)
      if (hashOf(wholeOf(one)) !== one.content.hash) {
        kept.delete(transferId)
        throw failure('file_hash')
      }
      one.stage = 'done'
    },
    async openTransfer({ transferId }: { transferId: string }) {
      const one = kept.get(transferId)
      return one?.stage === 'done' ? new Blob([new Uint8Array(wholeOf(one))]) : undefined
    },
    async dropTransfer({ transferId }: { transferId: string }) {
      if (kept.get(transferId)?.stage !== 'done') kept.delete(transferId)
    },
    ownStanding: async () => ({ deviceId, identityKey: '', keepsHistory: true }),
    roomsWithOutbox: async () => [],
  }
  return { state, crypto: { ...keys.crypto, ...verbs } as unknown as Crypto }
}
