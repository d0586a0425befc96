import { z } from 'zod'
import type { CommitDraft, CommitEntry } from '../../../contract/chat/rooms.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { epochOf, type Group, groupIdOf } from './mls.ts'

/** An own commit that the log does not have yet. */
export interface PendingCommit {
  draft: CommitDraft
  hasPath: boolean
  /** The MLS state after the commit. */
  group: Uint8Array
}

// The server checks the other fields.
const readHere = z.looseObject({
  chatRoomId: z.string(),
  generation: z.number(),
  groupId: z.string(),
  epoch: z.number(),
  commit: z.string(),
})
const rowShape = z.looseObject({
  draft: z.custom<CommitDraft>((draft) => readHere.safeParse(draft).success),
  hasPath: z.boolean(),
})

const pendingKey = (chatRoomId: string): string => `pending:${chatRoomId}`

/** Store it, then post: if the answer is lost, the log tells whether it was accepted [Note: R6]. */
export const pendingWrite = ({ draft, hasPath, group }: PendingCommit): Write => ({
  store: 'sealed',
  key: pendingKey(draft.chatRoomId),
  value: { json: { draft, hasPath }, bytes: group },
})

/** Write it once the room has moved on. */
export const pendingSettled = (chatRoomId: string): Write => ({ store: 'sealed', key: pendingKey(chatRoomId), value: null })

export async function pendingCommit({ vault }: Live, chatRoomId: string): Promise<PendingCommit | undefined> {
  const row = await vault.get('sealed', pendingKey(chatRoomId))
  if (!row?.bytes) return undefined
  const { draft, hasPath } = jsonOf(rowShape, row)
  return { draft, hasPath, group: row.bytes }
}

/** True if the log's entry is this commit, in the same generation and epoch. */
export function isTaken({ draft }: PendingCommit, entry: CommitEntry, generation: number, group: Group | undefined): boolean {
  const { commit, groupId, epoch } = draft
  const isSame = commit === entry.commit && groupId === entry.groupId && epoch === entry.epoch
  if (!isSame || draft.generation !== entry.generation) return false
  return !group || draft.generation > generation || (groupId === toBase64(groupIdOf(group)) && epoch === epochOf(group))
}
