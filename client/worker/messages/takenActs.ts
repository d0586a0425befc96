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
  roomChange?: RoomChange
}

/** What entries make of a room's record [Note: M7, M9]. */
export type RoomChange = Pick<RoomRecord, 'timer' | 'nextEndMs' | 'pins'>

export interface Waited extends Pick<RoomRecord, 'hasWaitingActs' | 'pins'> {
  chatRoomId: string
}

/** Holds names of deleted messages [Note: M13]. */
export const hiddenKey = (chatRoomId: string) => `hidden:${chatRoomId}`

/** By chat and place: may still be here. */
export const HIDING = 'hiding:'

export const NOTHING_TAKEN: TakenActs = { entries: [], changed: [], deleted: [], isWaiting: false, writes: [] }

/** Deletes what else is here of it. After a crash nobody has the key of a file, and the index is read later. */
export async function dropDeleted(live: Live, chatRoomId: string, { deleted }: TakenActs): Promise<void> {
  if (deleted.length > 0) await (await import('./dropDeleted.ts')).dropTraces(live, chatRoomId, deleted)
}

/** Views read their messages anew. */
export function withActs(
  record: RoomRecord,
  { changed, isWaiting, roomChange }: Pick<TakenActs, 'changed' | 'isWaiting' | 'roomChange'>,
): RoomRecord {
  if (changed.length === 0 && !isWaiting && !roomChange) return record
  const changes = (record.changes ?? 0) + (changed.length > 0 || roomChange?.pins ? 1 : 0)
  return { ...record, changes, ...(isWaiting && { hasWaitingActs: true }), ...withRoomChange(record, roomChange) }
}

/** The later timer holds, and what says it before what follows it. */
export function withRoomChange(known: RoomChange, roomChange: RoomChange = {}): RoomChange {
  const timers = [known.timer, roomChange.timer].filter((timer) => timer !== undefined)
  const [timer] = timers.sort((a, b) => Number(b.isSaid) - Number(a.isSaid) || b.seq - a.seq)
  const nextEndMs = roomChange.nextEndMs ?? known.nextEndMs
  const pins = roomChange.pins ?? known.pins
  return { ...(timer && { timer }), ...(nextEndMs !== undefined && { nextEndMs }), ...(pins && { pins }) }
}
