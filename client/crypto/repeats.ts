import { isProven, messageName, type StoredMessage, seqOfMessage } from '../vault/messages.ts'
import type { Live } from './live.ts'

/**
 * Messages that were just read, in the order of the log. A proven one that stands at another place already comes out as
 * unreadable: a server may play an envelope twice [Note: M4]. `before` came in the same step and is not stored yet.
 */
export async function onceEach(live: Live, messages: StoredMessage[], before: StoredMessage[] = []): Promise<StoredMessage[]> {
  const seen = new Set(before.filter(isProven).map(messageName))
  return await Promise.all(
    messages.map(async (message) => {
      if (!isProven(message)) return message
      const isRepeated = seen.has(messageName(message))
      seen.add(messageName(message))
      return isRepeated || (await standsElsewhere(live, message)) ? repeated(message) : message
    }),
  )
}

/** True if the vault holds this message of this person at another place. */
export async function standsElsewhere({ vault }: Live, message: StoredMessage): Promise<boolean> {
  const seq = await seqOfMessage(vault, message)
  return seq !== undefined && seq !== message.seq
}

const repeated = (message: StoredMessage): StoredMessage => ({
  ...message,
  body: { kind: 'unreadable', reason: 'This message stands in the conversation already: the server repeats it' },
})
