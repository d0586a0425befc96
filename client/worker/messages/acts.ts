import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { partOf } from '../primitives/loadPart.ts'
import { messageWrites, type StoredMessage } from '../vault/storedMessage.ts'
import { recordWrite, roomRecord } from '../vault/storedRoom.ts'
import { dropDeleted, hiddenKey, NOTHING_TAKEN, type TakenActs, type Waited, withActs } from './takenActs.ts'

/** Most of what comes is no act. */
export const loadActs = partOf(() => import('./takeActs.ts'))
export const loadLifetimes = partOf(() => import('./lifetimes.ts'))
export const loadHidden = partOf(() => import('./hidden.ts'))

/**
 * Applies the acts among new entries, and those that waited for one of them [Note: M7]. Call inside the room's lock; the caller commits
 * the writes, then calls `dropDeleted`. Throws 'not_loaded' before anything is written.
 */
export async function takeActs(live: Live, waited: Waited, found: StoredMessage[]): Promise<TakenActs> {
  const hidden = await live.vault.get('sealed', hiddenKey(waited.chatRoomId))
  const { entries, gone } = hidden ? (await loadHidden()).withoutHidden(hidden, found) : { entries: found, gone: [] }
  const taken = await takenOf(live, waited, entries, gone)
  return entries.some(isTimed) ? (await loadLifetimes()).takeLifetimes(live, waited.chatRoomId, taken) : taken
}

async function takenOf(live: Live, waited: Waited, entries: StoredMessage[], gone: StoredMessage[]): Promise<TakenActs> {
  if (waited.hasWaitingActs || entries.some(({ body }) => body.kind === 'act'))
    return (await loadActs()).takeActs(live, waited, entries, gone)
  return { ...NOTHING_TAKEN, entries, writes: entries.flatMap(messageWrites) }
}

const isTimed = ({ lifetime, body }: StoredMessage): boolean =>
  lifetime !== undefined || (body.kind === 'content' && ['timer', 'once'].includes(body.content.type))

/** Applies what a build of before has kept as it came. */
export const takeStrays = (live: Live, chatRoomId: string, strays: StoredMessage[]): Promise<void> =>
  inRoom(live, chatRoomId, async () => {
    const record = await roomRecord(live.vault, chatRoomId)
    if (!record) return
    const taken = await takeActs(live, { ...record, chatRoomId }, strays)
    await live.vault.write([...taken.writes, recordWrite(chatRoomId, withActs(record, taken))])
    await dropDeleted(live, chatRoomId, taken)
  })
