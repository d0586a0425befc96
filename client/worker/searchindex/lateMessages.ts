import { z } from 'zod'
import type { StoredMessage } from '../vault/storedMessage.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

/** The index may lack messages whose key came late. */
export interface Late {
  key: string
  chatRoomId: string
  seqs: number[]
}

const LATE = 'late:'
const lateShape = z.object({ chatRoomId: z.string(), seqs: z.array(z.number()) })

/** Returns writes that the caller commits with the texts. */
export function lateWrites(chatRoomId: string, messages: StoredMessage[]): Write[] {
  const seqs = messages.map(({ seq }) => seq)
  return seqs.length > 0
    ? [{ store: 'sealed', key: `${LATE}${chatRoomId}:${seqs[0]}`, value: { json: { chatRoomId, seqs } } }]
    : []
}

export const rereadWrite = (chatRoomId: string, { seq }: StoredMessage): Write => ({
  store: 'sealed',
  key: `${LATE}${chatRoomId}:${seq}:again`,
  value: { json: { chatRoomId, seqs: [seq] } },
})

/** Returns the queued messages. */
export async function lateRows(vault: Vault): Promise<Late[]> {
  return (await vault.named(LATE)).map(({ key, value }) => ({ key, ...jsonOf(lateShape, value) }))
}
