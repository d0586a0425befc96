import { z } from 'zod'
import type { CommitDraft, CommitEntry } from '../../../contract/chat/rooms.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { epochOf, type Group, groupIdOf } from './mls.ts'
import { type Place, withRoom } from './roomState.ts'

/** An own commit that is not in the log yet: the draft to post, and the MLS state after it. */
export interface PendingCommit {
  draft: CommitDraft
  hasPath: boolean
  /** The MLS state after the commit. */
  group: Uint8Array
}

// The fields that this module reads; the others go to the server unchanged, which checks them.
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

/** The change that stores it before it is posted: if the answer is lost, the log still shows whether it was accepted. */
export const pendingWrite = ({ draft, hasPath, group }: PendingCommit): Write => ({
  store: 'sealed',
  key: pendingKey(draft.chatRoomId),
  value: { json: { draft, hasPath }, bytes: group },
})

/** The change that deletes it once the room has moved on, with it or without. */
export const pendingSettled = (chatRoomId: string): Write => ({ store: 'sealed', key: pendingKey(chatRoomId), value: null })

export async function pendingCommit({ vault }: Live, chatRoomId: string): Promise<PendingCommit | undefined> {
  const row = await vault.get('sealed', pendingKey(chatRoomId))
  if (!row?.bytes) return undefined
  const { draft, hasPath } = jsonOf(rowShape, row)
  return { draft, hasPath, group: row.bytes }
}

/** Deletes a commit that the server will never accept: its device lists are out of date [Note: R6]. */
export function dropCommit(live: Live, { chatRoomId, peerIds, commit }: Place & Pick<CommitDraft, 'commit'>): Promise<void> {
  return withRoom(live, chatRoomId, peerIds, async () => {
    const pending = await pendingCommit(live, chatRoomId)
    if (pending?.draft.commit === commit) await live.vault.write([pendingSettled(chatRoomId)])
  })
}

/** True if an entry of the log is this commit, in the generation and epoch that it was made for. */
export function isTaken({ draft }: PendingCommit, entry: CommitEntry, generation: number, group: Group | undefined): boolean {
  const { commit, groupId, epoch } = draft
  const isSame = commit === entry.commit && groupId === entry.groupId && epoch === entry.epoch
  if (!isSame || draft.generation !== entry.generation) return false
  return !group || draft.generation > generation || (groupId === toBase64(groupIdOf(group)) && epoch === epochOf(group))
}
