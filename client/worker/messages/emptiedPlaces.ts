import type { Act, MessageAct } from '../../../contract/chat/content.ts'
import { isDeletedBy } from '../../../contract/chat/kinds/fold.ts'
import { messageAt, type StoredMessage } from '../vault/storedMessage.ts'
import type { Vault } from '../vault/vault.ts'

export type Told<A = Act> = StoredMessage & { body: { kind: 'act'; act: A } }

/** `rows`: of the vault, as they become. */
interface Places {
  vault: Vault
  chatRoomId: string
  rows: Map<number, StoredMessage>
}

/**
 * Explains a place that the server has emptied: a deleted message, or one of its edits, of which nothing shows. Returns false if the
 * place is not here.
 */
export async function emptyPlace(at: Places, seq: number, entry: Told<MessageAct>, isEdit: boolean): Promise<boolean> {
  const { vault, chatRoomId, rows } = at
  const { senderId, body } = entry
  const row = rows.get(seq) ?? (await messageAt(vault, chatRoomId, seq))
  if (!row) return (await messageAt(vault, chatRoomId, -seq)) !== undefined
  if (row.body.kind !== 'withheld' || row.senderId !== senderId) return true
  const { at: time } = entry
  const told = { senderId, at: time, sentAt: time, seq: entry.seq, act: body.act }
  if (isEdit) rows.set(seq, { ...row, body: HIDDEN })
  else if (row.id === body.act.target.id && isDeletedBy({ senderId, at: row.at, sentAt: row.at }, told))
    rows.set(seq, { ...row, body: { kind: 'deleted' } })
  return true
}

/** Explains a withheld place [Note: M14]. */
export async function explainOpened({ vault, chatRoomId, rows }: Places, seq: number, entry: Told<MessageAct>): Promise<boolean> {
  const { act } = entry.body
  const row = rows.get(seq) ?? (await messageAt(vault, chatRoomId, seq))
  if (act.type !== 'opened' || row?.body.kind !== 'withheld' || entry.senderId === row.senderId) return false
  const { target, as, seconds } = act
  if (row.senderId !== target.senderId || row.id !== target.id) return false
  const content = { type: 'once' as const, as, ...(seconds !== undefined && { seconds }) }
  const acts = { opened: { [entry.senderId]: { seq: entry.seq, at: entry.at } } }
  rows.set(seq, { ...row, body: { kind: 'content', content }, acts })
  return true
}

export const hasPlace = async ({ vault, chatRoomId, rows }: Places, seq: number): Promise<boolean> =>
  rows.has(seq) || (await messageAt(vault, chatRoomId, seq)) !== undefined

const HIDDEN = { kind: 'act', act: null } as const
export const isHidden = (body: StoredMessage['body']) => body.kind === 'act' && body.act === null
