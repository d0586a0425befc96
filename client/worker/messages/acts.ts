import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { partOf } from '../primitives/loadPart.ts'
import { messageWrites, type StoredMessage } from '../vault/storedMessage.ts'
import { recordWrite, roomRecord } from '../vault/storedRoom.ts'
import type { Vault } from '../vault/vault.ts'
import { dropDeleted, NOTHING_TAKEN, type TakenActs, type Waited, withActs } from './takenActs.ts'

/** Most of what comes is no act. */
export const loadActs = partOf(() => import('./takeActs.ts'))

/**
 * Applies the acts among new entries, and those that waited for one of them [Note: M7]. Call inside the room's lock; the caller commits
 * the writes, then calls `dropDeleted`. Throws 'not_loaded' before anything is written.
 */
export async function takeActs(vault: Vault, waited: Waited, entries: StoredMessage[]): Promise<TakenActs> {
  if (waited.hasWaitingActs || entries.some(({ body }) => body.kind === 'act'))
    return (await loadActs()).takeActs(vault, waited, entries)
  return { ...NOTHING_TAKEN, entries, writes: entries.flatMap(messageWrites) }
}

/** Applies what a build of before has kept as it came. */
export const takeStrays = (live: Live, chatRoomId: string, strays: StoredMessage[]): Promise<void> =>
  inRoom(live, chatRoomId, async () => {
    const record = await roomRecord(live.vault, chatRoomId)
    if (!record) return
    const taken = await takeActs(live.vault, { ...record, chatRoomId }, strays)
    await live.vault.write([...taken.writes, recordWrite(chatRoomId, withActs(record, taken))])
    await dropDeleted(live, chatRoomId, taken)
  })
