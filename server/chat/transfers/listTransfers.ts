import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import type { ListedTransfer } from '../../../contract/chat/transfers.ts'
import type { Env, SignedInUser } from '../../env.ts'
import * as store from './store.ts'

const LISTED_MAX = 1000

export async function listTransfers(env: Env, user: SignedInUser): Promise<ListedTransfer[]> {
  const rows = await store.listTransfers(env.db, user.id, LISTED_MAX)
  return rows.map((row) => ({
    ...{ transferId: row.id, from: row.senderId, to: row.receiverId, attempt: row.attempt },
    ...{ senderDevice: row.senderDevice, receiverDevice: row.receiverDevice, end: store.endOf(row, env.clock()) },
    expiresAt: new Date(row.createdAt.getTime() + TRANSFER_LIMITS.offerSeconds * 1000).toISOString(),
  }))
}
