import type { OutboxRow, StoredMessage } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { inTurn } from '../net/turns.ts'
import { type ContactRow, changeRow, type Preview, statusOf } from './rows.ts'

/** Reads the room's newest message and unsent ones from the vault and says them in the row. */
export function refreshPreview(env: Env, chatRoomId: string, userId: string): Promise<void> {
  // In turn: a slow look at the vault must not overwrite what a later one has seen.
  return inTurn(env, `preview ${chatRoomId}`, () => lookAtNewest(env, chatRoomId, userId))
}

async function lookAtNewest(env: Env, chatRoomId: string, userId: string): Promise<void> {
  const [{ messages }, outbox] = await Promise.all([env.crypto.page({ chatRoomId, limit: 1 }), env.crypto.outbox(chatRoomId)])
  const newest = messages.at(-1)
  changeRow(
    (row) => row.chatRoomId === chatRoomId,
    (row) => ({ preview: previewOf(row, newest, outbox.at(-1), userId) }),
  )
}

function previewOf(
  row: ContactRow,
  newest: StoredMessage | undefined,
  unsent: OutboxRow | undefined,
  userId: string,
): Preview | null {
  if (unsent) {
    const { text } = unsent.content
    return unsent.failure ? { kind: 'failed', text, status: null } : { kind: 'text', text, status: 'sending' }
  }
  if (!newest) return null
  const status = newest.senderId === userId ? statusOf(row, newest.seq) : null
  switch (newest.body.kind) {
    case 'content':
      return { kind: 'text', text: newest.body.content.text, status }
    case 'plain':
    case 'notice':
      return { kind: 'text', text: newest.body.text, status: newest.body.kind === 'plain' ? status : null }
    case 'sealed':
    case 'unreadable':
      return { kind: 'unreadable', text: 'This message cannot be read here', status: null }
  }
}
