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
}

export interface Waited extends Pick<RoomRecord, 'hasWaitingActs'> {
  chatRoomId: string
}

export const NOTHING_TAKEN: TakenActs = { entries: [], changed: [], deleted: [], isWaiting: false, writes: [] }

/** Deletes what else is here of it. After a crash nobody has the key of a file, and the index is read later. */
export async function dropDeleted(live: Live, chatRoomId: string, { deleted }: TakenActs): Promise<void> {
  if (deleted.length > 0) await (await import('./dropDeleted.ts')).dropTraces(live, chatRoomId, deleted)
}

/** Views read their messages anew. */
export function withActs(record: RoomRecord, { changed, isWaiting }: Pick<TakenActs, 'changed' | 'isWaiting'>): RoomRecord {
  if (changed.length === 0 && !isWaiting) return record
  const changes = (record.changes ?? 0) + Math.min(1, changed.length)
  return { ...record, changes, ...(isWaiting && { hasWaitingActs: true }) }
}
