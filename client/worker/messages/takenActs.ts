import type { Content } from '../../../contract/chat/content.ts'
import type { Live } from '../keys/live.ts'
import type { StoredMessage } from '../vault/storedMessage.ts'
import type { RoomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'

export interface TakenActs {
  entries: StoredMessage[]
  /** Messages of the vault that became others. */
  changed: StoredMessage[]
  deleted: Content[]
  isWaiting: boolean
  writes: Write[]
  timed?: Timed
}

/** What entries with a lifetime, or of a timer, make of a room's record [Note: M9]. */
export type Timed = Pick<RoomRecord, 'timer' | 'nextEndMs'>

export interface Waited extends Pick<RoomRecord, 'hasWaitingActs'> {
  chatRoomId: string
}

export const NOTHING_TAKEN: TakenActs = { entries: [], changed: [], deleted: [], isWaiting: false, writes: [] }

/** Deletes what else is here of it. After a crash nobody has the key of a file, and the index is read later. */
export async function dropDeleted(live: Live, chatRoomId: string, { deleted }: TakenActs): Promise<void> {
  if (deleted.length > 0) await (await import('./dropDeleted.ts')).dropTraces(live, chatRoomId, deleted)
}

/** Views read their messages anew. */
export function withActs(
  record: RoomRecord,
  { changed, isWaiting, timed }: Pick<TakenActs, 'changed' | 'isWaiting' | 'timed'>,
): RoomRecord {
  if (changed.length === 0 && !isWaiting && !timed) return record
  const changes = (record.changes ?? 0) + Math.min(1, changed.length)
  return { ...record, changes, ...(isWaiting && { hasWaitingActs: true }), ...withTimed(record, timed) }
}

/** The later timer holds, and what says it before what follows it. */
export function withTimed(known: Timed, timed: Timed = {}): Timed {
  const timers = [known.timer, timed.timer].filter((timer) => timer !== undefined)
  const [timer] = timers.sort((a, b) => Number(b.isSaid) - Number(a.isSaid) || b.seq - a.seq)
  const nextEndMs = timed.nextEndMs ?? known.nextEndMs
  return { ...(timer && { timer }), ...(nextEndMs !== undefined && { nextEndMs }) }
}
