import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { hashOf } from '../chatlocks/chatGate.ts'
import * as store from './store.ts'

/** An account's browser. */
export interface Speaker {
  userId: string
  session: Buffer
  device: string
}

/** Throws Refusal. */
export function speakerOf(user: SignedInUser): Speaker {
  if (user.deviceId === null) throw new Refusal('device_required')
  return { userId: user.id, session: hashOf(user), device: user.deviceId }
}

/** Tells every browser of both. Who blocks the other hears of what they do themselves alone. */
export async function tellChanged(env: Env, changed: store.Transfer[], by: string | null = null): Promise<void> {
  if (changed.length === 0) return
  const deaf = await store.findDeaf(
    env.db,
    changed.map(({ id }) => id),
  )
  for (const transfer of changed) {
    const { id: transferId, receiverDevice: device } = transfer
    const ends = [transfer.senderId, transfer.receiverId]
    const hearing = ends.filter((userId) => userId === by || !deaf.has(`${transferId} ${userId}`))
    env.hub.publish(hearing, { type: 'transfer-changed', data: { transferId, device, end: store.endOf(transfer, env.clock()) } })
  }
}
