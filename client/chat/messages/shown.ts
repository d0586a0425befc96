import type { Content } from '../../../contract/chat/content.ts'
import { DELETED, DELETED_HERE, UNSUPPORTED } from '../../../contract/chat/contentwords.ts'
import { callTitle } from '../../../contract/chat/kinds/call.ts'
import type { Acts, Folded } from '../../../contract/chat/kinds/fold.ts'
import { contentWords, isTyped } from '../../../contract/chat/kinds/kinds.ts'
import type { ContentOf, Kind } from '../../../contract/chat/kinds/rules.ts'
import { timerWords } from '../../../contract/chat/kinds/timer.ts'
import { ownPrivacy } from '../../me/privacy/privacy.ts'
import { connectionStore } from '../../net/status.ts'
import { deliveryOf, type Room } from '../../rooms/list/room.ts'
import type { OutboxRow, StoredMessage } from '../../worker/crypto.ts'
import { HELD, LINE, waitOf } from './outbox.ts'
import type { MessageBody, ShownContent, ShownMessage } from './store.ts'

/** Text for messages that the server withholds. */
const WHILE_BLOCKED = 'Messages while blocked are not kept'
const NO_LONGER_THERE = 'The server no longer has this message'

const unsupported = { kind: 'unsupported', text: UNSUPPORTED } as const

export function shownMessage(message: StoredMessage, room: Room): ShownMessage {
  const { id, seq, at, senderId, body, isOutOfPlace = false } = message
  const isMine = senderId === room.ownId
  const hasDelivery = body.kind === 'content' || body.kind === 'plain'
  const status = isMine && hasDelivery ? deliveryOf(room, seq) : null
  return {
    id,
    seq,
    senderId,
    at,
    isMine,
    status,
    reason: null,
    body: shownBody(message, isMine),
    isOutOfPlace,
    ...flagsOf(message),
    ...actsOf(message, room.ownId),
  }
}

function actsOf(
  { senderId, body, acts }: StoredMessage,
  ownId: string,
): Pick<ShownMessage, 'edited' | 'reactions' | 'opened' | 'listened'> {
  if (body.kind !== 'content' || !acts) return {}
  const people = Object.entries(acts.reactions ?? {}).sort(([, a], [, b]) => a.seq - b.seq)
  // The other’s counts for an own message, else the own one.
  const told = (by: Acts['opened'] = {}) => (senderId === ownId ? Object.values(by)[0] : by[ownId])?.at
  // Who hides read marks sees none of others.
  const [opened, listened] = [told(acts.opened), senderId === ownId && !ownPrivacy().receipts ? undefined : told(acts.listened)]
  const emojis = [...new Set(people.flatMap(([, { emojis: of }]) => of))]
  const userIdsOf = (emoji: string) => people.filter(([, { emojis: of }]) => of.includes(emoji)).map(([userId]) => userId)
  return {
    ...(opened !== undefined && { opened }),
    ...(listened !== undefined && { listened }),
    ...(acts.edit && { edited: { n: acts.edit.n, places: acts.edits ?? [] } }),
    ...(emojis.length > 0 && { reactions: emojis.map((emoji) => ({ emoji, userIds: userIdsOf(emoji) })) }),
  }
}

const flagsOf = ({ isRemovedSince, isArchiveWrong, isOlder, sentAt, lifetime, endsMs, deviceId, route }: StoredMessage) => ({
  ...(lifetime !== undefined && { lifetime: { seconds: lifetime, ...(endsMs !== undefined && { endsMs }) } }),
  ...(isRemovedSince && { isRemovedSince }),
  ...(isArchiveWrong && { isArchiveWrong }),
  ...(isOlder && { isOlder }),
  ...(sentAt !== undefined && { sentAt }),
  ...(deviceId !== undefined && { deviceId }),
  ...(route !== undefined && { route }),
})

interface Shows<C extends Content, B> {
  body(content: C, chatRoomId: string, isMine: boolean): B
}

const SHOWN: { [K in Kind]: Shows<ContentOf<K>, ShownContent<K>> } = {
  text: { body: ({ text, quote, isForwarded }) => ({ kind: 'text', text, quote, isForwarded }) },
  call: {
    body: (call, chatRoomId, isMine) => ({ kind: 'call', call, text: callTitle(call, isMine), chatRoomId }),
  },
  transfer: { body: (transfer, chatRoomId) => ({ kind: 'transfer', transfer, text: transfer.name, chatRoomId }) },
  timer: { body: (timer) => ({ kind: 'timer', text: timerWords(timer) }) },
  once: { body: (once, chatRoomId) => ({ kind: 'once', once, text: contentWords(once), chatRoomId }) },
  file: { body: (file, chatRoomId) => ({ kind: 'file', file, text: file.caption, chatRoomId }) },
}

function written(content: Content, chatRoomId: string, isMine: boolean): MessageBody {
  const shows: Shows<Content, ShownContent> = SHOWN[content.type]
  return shows.body(content, chatRoomId, isMine)
}

function shownBody({ body, chatRoomId }: StoredMessage, isMine: boolean): MessageBody {
  if (body.kind === 'content') return written(body.content, chatRoomId, isMine)
  if (body.kind === 'withheld') return { kind: 'notice', text: body.isExplained ? WHILE_BLOCKED : NO_LONGER_THERE, isQuiet: true }
  if (body.kind === 'deleted') return { kind: 'deleted', text: isMine ? DELETED_HERE : DELETED }
  if (body.kind === 'newer' || body.kind === 'act') return unsupported
  if (body.kind === 'sealed')
    return {
      kind: 'unreadable',
      reason: 'This message was sealed with a key that this browser does not have.',
    }
  return body
}

export function shownUnsent(row: Folded<OutboxRow>): ShownMessage {
  const { id, chatRoomId, sentAt, content, envelope, failure, wasSealed, isHeld } = row
  const free = isHeld ? HELD : null
  const waits = waitOf(chatRoomId)?.reason ?? (connectionStore.getState().phase === 'open' ? free : LINE)
  const isQueued = !failure && (waits === LINE || waits === HELD)
  const status = failure ? 'failed' : waits && !isQueued ? 'waiting' : 'sending'
  const body: MessageBody = content ? written(content, chatRoomId, true) : unsupported
  return {
    ...{ id, seq: null, at: sentAt, isMine: true, status, reason: failure ?? waits, body, isOutOfPlace: false },
    isQueued,
    isHeld: waits === HELD,
    // The server may have unrefused bytes.
    canBeTakenBack: !!content && isTyped(content) && (envelope ? failure !== null : !wasSealed),
  }
}

/** Only the last waiting message says so. */
export function lastSays(messages: ShownMessage[]): ShownMessage[] {
  const last = messages.findLastIndex(({ isQueued }) => isQueued)
  return messages.map((message, at) => {
    const reason = at === last ? (message.isHeld ? HELD : LINE) : null
    return message.isQueued && message.reason !== reason ? { ...message, reason } : message
  })
}
