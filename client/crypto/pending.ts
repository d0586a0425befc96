import type { CommitDraft } from '../../contract/rooms.ts'
import type { Live } from './live.ts'
import type { Write } from './vault.ts'

/** A commit that was made here and is not in the log yet: what to post, and the state behind it. */
export interface PendingCommit {
  draft: CommitDraft
  hasPath: boolean
  /** The MLS state after the commit. */
  group: Uint8Array
}

export const pendingKey = (chatRoomId: string): string => `pending:${chatRoomId}`

/** Kept before it is posted: when the answer is lost, the log still shows whether it was taken. */
export const pendingWrite = ({ draft, hasPath, group }: PendingCommit): Write => ({
  store: 'sealed',
  key: pendingKey(draft.chatRoomId),
  value: { json: { draft, hasPath }, bytes: group },
})

export async function pendingCommit({ vault }: Live, chatRoomId: string): Promise<PendingCommit | undefined> {
  const row = await vault.get('sealed', pendingKey(chatRoomId))
  if (!row?.bytes) return undefined
  const { draft, hasPath } = row.json as Pick<PendingCommit, 'draft' | 'hasPath'>
  return { draft, hasPath, group: row.bytes }
}
