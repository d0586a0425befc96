import { z } from 'zod'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { UPLOADS, uploadsIn } from '../vault/waitingFiles.ts'

/** Bounds of what waits. */
export const QUEUE = { room: 200, all: 1000, fileBytes: 320 * 1024 * 1024 }

const fileShape = z.looseObject({ order: z.number(), isHolding: z.boolean().default(false) })

/** Files share the outbox's order. `isHolding`: later messages wait. */
export const filesOf = async ({ vault }: Live, chatRoomId: string) =>
  (await vault.named(uploadsIn(chatRoomId))).map(({ value }) => jsonOf(fileShape, value))

/** Danger: lock the outbox until the write. Throws 'queue_full' where so many more are too many. */
export async function nextOrder(live: Live, chatRoomId: string, bounded = 0): Promise<number> {
  const { vault } = live
  const [keys, uploads, files] = await Promise.all([
    vault.keys('outbox'),
    vault.keys('sealed', UPLOADS),
    filesOf(live, chatRoomId),
  ])
  const orders = [...keys.flatMap(([id, order]) => (id === chatRoomId ? [order] : [])), ...files.map(({ order }) => order)]
  if (bounded > 0 && orders.length + bounded > QUEUE.room) throw queueFull(`${QUEUE.room} messages wait in this chat`)
  if (bounded > 0 && keys.length + uploads.length + bounded > QUEUE.all)
    throw queueFull(`${QUEUE.all} messages wait in this browser`)
  return orders.reduce((last, order) => Math.max(last, order + 1), Date.now() * 1000)
}

export const queueFull = (what: string) => new CryptoFailure('queue_full', `${what} already`)
