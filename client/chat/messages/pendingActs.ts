import type { MessageAct, Pin } from '../../../contract/chat/content.ts'
import { foldEntries, withAct } from '../../../contract/chat/kinds/fold.ts'
import { isMessageAct } from '../../../contract/chat/kinds/kinds.ts'
import { type Pinned, pinnedIn, pinOf, withPins } from '../../../contract/chat/kinds/pin.ts'
import { connectionStore } from '../../net/status.ts'
import type { OutboxRow, StoredMessage } from '../../worker/crypto.ts'
import { LINE, waitOf } from './outbox.ts'
import type { ShownMessage } from './store.ts'

/** Places of acts that the server does not have yet lie behind all others. */
export const PENDING_FROM = 2 ** 52

export type ActRow = OutboxRow & { content: MessageAct | Pin }

export const actRows = (outbox: OutboxRow[]): ActRow[] =>
  outbox.filter((row): row is ActRow => row.content !== null && (isMessageAct(row.content) || row.content.type === 'pin'))

/** Returns the pins as they become once the server has what waits here. */
export const pendingPins = (pins: Pinned[], outbox: OutboxRow[]): Pinned[] =>
  pinnedIn(
    withPins(
      pins,
      outbox.flatMap(({ content, failure }, at) =>
        content?.type === 'pin' && failure === null ? [pinOf(content, PENDING_FROM + at)] : [],
      ),
    ),
  )

/** Changes with what of them is to be seen. */
export const stateOfActs = (rows: ActRow[]): string => rows.map(({ id, failure }) => `${id} ${failure ?? ''}`).join()

const aims = ({ content: { target } }: ActRow, { senderId, id }: StoredMessage) =>
  target.senderId === senderId && target.id === id

/** Returns the message as it becomes once the server has what waits here. */
export function withPending(message: StoredMessage, rows: ActRow[], ownId: string): StoredMessage {
  const mine = rows.filter((row) => aims(row, message) && row.failure === null)
  let now = message
  for (const [at, { content: act, sentAt }] of mine.entries()) {
    if (now.body.kind !== 'content') break
    const target = { senderId: message.senderId, at: message.at, sentAt: message.sentAt ?? message.at, acts: now.acts }
    const told = { senderId: ownId, sentAt, at: sentAt, seq: PENDING_FROM + at, act }
    const became = withAct({ ...target, content: now.body.content }, told)
    if (became === 'deleted') now = { ...message, body: { kind: 'deleted' } }
    else if (became) now = foldEntries([{ ...now, acts: became }])[0] ?? now
  }
  return now
}

export function pendingOf(message: StoredMessage, rows: ActRow[]): Pick<ShownMessage, 'pending'> {
  // A mark of listening is told by the way.
  const mine = rows.filter((row) => aims(row, message) && row.content.type !== 'listened')
  if (mine.length === 0) return {}
  const refused = mine.find(({ failure }) => failure !== null)
  const ids = (refused ? [refused] : mine).map(({ id }) => id)
  const waits = waitOf(message.chatRoomId)?.reason ?? (connectionStore.getState().phase === 'open' ? null : LINE)
  const status = refused ? 'failed' : waits ? 'waiting' : 'sending'
  const words = mine.flatMap(({ content }) => (content.type === 'edit' ? [content.text] : [])).at(-1)
  return { pending: { ids, status, reason: refused?.failure ?? waits, ...(words !== undefined && { words }) } }
}
