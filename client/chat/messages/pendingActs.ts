import type { Act } from '../../../contract/chat/content.ts'
import { foldEntries, withAct } from '../../../contract/chat/kinds/fold.ts'
import { isAct } from '../../../contract/chat/kinds/kinds.ts'
import { connectionStore } from '../../net/status.ts'
import type { OutboxRow, StoredMessage } from '../../worker/crypto.ts'
import { LINE, waitOf } from './outbox.ts'
import type { ShownMessage } from './store.ts'

export type ActRow = OutboxRow & { content: Act }

export const actRows = (outbox: OutboxRow[]): ActRow[] => outbox.filter((row): row is ActRow => row.content !== null && isAct(row.content))

/** Changes with what of them is to be seen. */
export const stateOfActs = (rows: ActRow[]): string => rows.map(({ id, failure }) => `${id} ${failure ?? ''}`).join()

const aims = ({ content: { target } }: ActRow, { senderId, id }: StoredMessage) => target.senderId === senderId && target.id === id

/** Returns the message as it becomes once the server has what waits here. */
export function withPending(message: StoredMessage, rows: ActRow[], ownId: string): StoredMessage {
  const mine = rows.filter((row) => aims(row, message) && row.failure === null)
  return mine.reduce((before, { content: act, sentAt }, at) => {
    const { body, acts } = before
    if (body.kind !== 'content') return before
    const sent = { senderId: message.senderId, at: message.at, sentAt: message.sentAt ?? message.at }
    // Behind everything that the log has, in their order.
    const seq = Number.MAX_SAFE_INTEGER - mine.length + at
    const became = withAct({ ...sent, content: body.content, acts }, { senderId: ownId, sentAt, at: sentAt, seq, act })
    if (became === undefined) return before
    if (became === 'deleted') return { ...before, body: { kind: 'deleted' } }
    const [folded = before] = foldEntries([{ ...before, acts: became }])
    return folded
  }, message)
}

export function pendingOf(message: StoredMessage, rows: ActRow[]): Pick<ShownMessage, 'pending'> {
  const mine = rows.filter((row) => aims(row, message))
  if (mine.length === 0) return {}
  const refused = mine.find(({ failure }) => failure !== null)
  const ids = (refused ? [refused] : mine).map(({ id }) => id)
  const waits = waitOf(message.chatRoomId)?.reason ?? (connectionStore.getState().phase === 'open' ? null : LINE)
  const status = refused ? 'failed' : waits ? 'waiting' : 'sending'
  return { pending: { ids, status, reason: refused?.failure ?? waits } }
}
