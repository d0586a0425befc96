import { z } from 'zod'
import type { StoredMessage } from '../vault/messages.ts'
import { jsonOf } from '../vault/rows.ts'
import type { Vault, Write } from '../vault/vault.ts'

/** Messages of one room that were opened when the search may have passed them by: their key came later. */
export interface Late {
  /** The row that says so. */
  key: string
  chatRoomId: string
  seqs: number[]
}

const LATE = 'late:'
const lateShape = z.object({ chatRoomId: z.string(), seqs: z.array(z.number()) })

/** The change that hands such messages to the search; stored with their texts. */
export function lateWrites(chatRoomId: string, messages: StoredMessage[]): Write[] {
  const seqs = messages.map(({ seq }) => seq)
  return seqs.length > 0
    ? [{ store: 'sealed', key: `${LATE}${chatRoomId}:${seqs[0]}`, value: { json: { chatRoomId, seqs } } }]
    : []
}

/** What was handed over and not taken yet. */
export async function lateRows(vault: Vault): Promise<Late[]> {
  return (await vault.named(LATE)).map(({ key, value }) => ({ key, ...jsonOf(lateShape, value) }))
}
