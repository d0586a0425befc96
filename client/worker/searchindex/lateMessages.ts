import { z } from 'zod'
import type { StoredMessage } from '../vault/storedMessage.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

/** Messages of one room whose key came late, so that the index may already cover their place without them. */
export interface Late {
  /** Key of the vault row. */
  key: string
  chatRoomId: string
  seqs: number[]
}

const LATE = 'late:'
const lateShape = z.object({ chatRoomId: z.string(), seqs: z.array(z.number()) })

/** The writes that queue such messages for the index. The caller commits them together with the texts. */
export function lateWrites(chatRoomId: string, messages: StoredMessage[]): Write[] {
  const seqs = messages.map(({ seq }) => seq)
  return seqs.length > 0
    ? [{ store: 'sealed', key: `${LATE}${chatRoomId}:${seqs[0]}`, value: { json: { chatRoomId, seqs } } }]
    : []
}

/** The queued messages that the index has not taken yet. */
export async function lateRows(vault: Vault): Promise<Late[]> {
  return (await vault.named(LATE)).map(({ key, value }) => ({ key, ...jsonOf(lateShape, value) }))
}
