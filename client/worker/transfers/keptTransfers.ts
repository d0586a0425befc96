import { z } from 'zod'
import { readContent, type TransferContent } from '../../../contract/chat/content.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { jsonOf, type Write } from '../vault/vaultRows.ts'
import { transfersIn } from './transferNames.ts'

const shape = z.looseObject({
  content: z.custom<TransferContent>((json) => readContent(json)?.type === 'transfer'),
  chatRoomId: z.string(),
  isMine: z.boolean(),
  stage: z.enum(['offered', 'receiving', 'done']),
  have: z.number(),
  at: z.string(),
  /** ms since 1970, by this browser's clock. */
  keptAt: z.number(),
  /** Seals the pieces; base64. */
  key: z.string(),
})
/** [Note: M11] The key lies in the row of the room, so a locked chat seals it. */
export type KeptRow = z.infer<typeof shape>

export interface TransferName {
  chatRoomId: string
  transferId: string
}

export const rowKey = ({ chatRoomId, transferId }: TransferName): string => `${transfersIn(chatRoomId)}${transferId}`
export const rowWrite = (row: KeptRow): Write => ({
  store: 'sealed',
  key: rowKey({ chatRoomId: row.chatRoomId, transferId: row.content.transferId }),
  value: { json: row },
})

/** Throws 'room_locked'. */
export async function keptRow({ vault }: Live, name: TransferName): Promise<KeptRow | undefined> {
  const row = await vault.get('sealed', rowKey(name))
  return row && jsonOf(shape, row)
}

const OFFER_MS = TRANSFER_LIMITS.offerSeconds * 1000

/** A clock that was put back ends it too. */
export const isStale = ({ stage, keptAt }: Pick<KeptRow, 'stage' | 'keptAt'>): boolean =>
  stage !== 'done' && Math.abs(Date.now() - keptAt) > OFFER_MS

/** Throws 'file_absent' for what this browser does not offer in this chat, 'room_locked'. */
export async function requireOffer(live: Live, { chatRoomId, callId }: { chatRoomId: string; callId: string }): Promise<void> {
  const row = await keptRow(live, { chatRoomId, transferId: callId })
  if (!row?.isMine || isStale(row)) throw fileAbsent()
}

export const fileAbsent = (): CryptoFailure => new CryptoFailure('file_absent', 'This file is not kept in this browser any more')
