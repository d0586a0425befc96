import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import type { Pinned } from '../../../contract/chat/kinds/pin.ts'
import { messagesOf, type StoredMessage } from './storedMessage.ts'
import { roomRecord } from './storedRoom.ts'
import type { Vault } from './vault.ts'

/** `messages`: fewer than `limit` only at the room's end. */
async function foldedMessages(
  vault: Vault,
  chatRoomId: string,
  asked: { before?: number; after?: number; limit: number },
): Promise<{ messages: StoredMessage[]; strays: StoredMessage[] }> {
  const { limit } = asked
  const isUpward = asked.after !== undefined
  let entries: StoredMessage[] = []
  for (let range = asked; ; ) {
    const more = await messagesOf(vault, chatRoomId, range)
    entries = isUpward ? [...entries, ...more] : [...more, ...entries]
    const messages = foldEntries(entries)
    const end = isUpward ? more.at(-1) : more[0]
    const strays = entries.filter(({ body }) => body.kind === 'act' || isKeptOnce(body))
    if (!end || more.length < limit || messages.length >= limit)
      return { messages: isUpward ? messages.slice(0, limit) : messages.slice(-limit), strays }
    range = { ...asked, [isUpward ? 'after' : 'before']: end.seq }
  }
}

const isKeptOnce = (body: StoredMessage['body']): boolean =>
  body.kind === 'content' && body.kept !== undefined && body.content.type === 'once'

export interface MessagePage {
  messages: StoredMessage[]
  /** What an earlier build kept as unknown messages: acts, and what opens once. */
  strays?: StoredMessage[]
  /** The server has older messages. */
  from: number
  cursor: number
  isJoined: boolean
  /** Changes when messages open or become others. */
  waitsFor: string
  pins?: Pinned[]
  /** Seconds. */
  timer?: number
  nextEndMs?: number
  unbegun?: number
}

/** Returns a page of messages. */
export async function pageOf(
  vault: Vault,
  input: { chatRoomId: string; before?: number; after?: number; limit: number },
): Promise<MessagePage> {
  const { chatRoomId, before, after, limit } = input
  const record = await roomRecord(vault, chatRoomId)
  if (!record) return { messages: [], from: 0, cursor: 0, isJoined: false, waitsFor: '' }
  const { from, cursor, standing, waiting, newer = [], cleared = 0, changes = 0, pins, timer, nextEndMs } = record
  const { messages, strays } = await foldedMessages(vault, chatRoomId, {
    limit,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after: Math.max(after, from - 1) }),
  })
  const keys = waiting.map(({ groupId, epoch }) => `${groupId} ${epoch}`)
  const waitsFor = [...keys, ...newer.map(({ version }) => `v${version}`), changes]
  return {
    messages: messages.filter(({ seq }) => seq >= from),
    ...(strays.length > 0 && { strays }),
    // A cleared room has nothing older.
    from: from <= cleared + 1 ? Math.min(from, 1) : from,
    cursor,
    isJoined: standing === 'joined',
    waitsFor: waitsFor.join(),
    ...(pins && { pins }),
    ...(timer && { timer: timer.seconds }),
    ...(nextEndMs !== undefined && { nextEndMs }),
  }
}
