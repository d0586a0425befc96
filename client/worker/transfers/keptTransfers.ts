import { z } from 'zod'
import { readContent, type TransferContent } from '../../../contract/chat/content.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { jsonOf, type Write } from '../vault/vaultRows.ts'
import { rowKey, TRANSFERS, type TransferName } from '../vault/waitingFiles.ts'

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

export const nameOf = ({ chatRoomId, content: { transferId } }: KeptRow): TransferName => ({ chatRoomId, transferId })
export const rowWrite = (row: KeptRow): Write => ({ store: 'sealed', key: rowKey(nameOf(row)), value: { json: row } })
export const goneWrite = (name: TransferName): Write => ({ store: 'sealed', key: rowKey(name), value: null })

/** Throws 'room_locked'. */
export async function keptRow({ vault }: Live, name: TransferName): Promise<KeptRow | undefined> {
  const row = await vault.get('sealed', rowKey(name))
  return row && jsonOf(shape, row)
}

/** Returns those of open rooms. */
export const keptRows = async ({ vault }: Live): Promise<KeptRow[]> =>
  (await vault.named(TRANSFERS)).map(({ value }) => jsonOf(shape, value))

const OFFER_MS = TRANSFER_LIMITS.offerSeconds * 1000

/** A clock that was put back ends it too. */
export const isStale = ({ stage, keptAt }: KeptRow): boolean => stage !== 'done' && Math.abs(Date.now() - keptAt) > OFFER_MS

export const fileAbsent = (): CryptoFailure => new CryptoFailure('file_absent', 'This file is not kept in this browser any more')
