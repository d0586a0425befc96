import type { Act, Content } from '../../../contract/chat/content.ts'
import type { Live } from '../keys/live.ts'
import { partOf } from '../primitives/loadPart.ts'
import { messageWrites, type StoredMessage } from '../vault/storedMessage.ts'
import type { Vault } from '../vault/vault.ts'
import { NOTHING_TAKEN, type TakenActs, type Waited } from './takenActs.ts'

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
export const takeStrays = async (live: Live, chatRoomId: string, strays: StoredMessage[]): Promise<void> =>
  (await loadActs()).takeStrays(live, chatRoomId, strays)

/** An edit or a deletion that nobody would count is not sent. Throws 'too_late'. */
export async function refuseLate(vault: Vault, chatRoomId: string, said: Act | Content): Promise<void> {
  if (said.type === 'edit' || said.type === 'delete') await (await loadActs()).refuseLate(vault, chatRoomId, said)
}
