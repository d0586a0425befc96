import type { Live } from '../keys/live.ts'
import { isProven, messageName, type StoredMessage, seqOfMessage } from '../vault/storedMessage.ts'

/** Returns messages in log order. Replayed messages become unreadable [Note: M4]. */
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

/** True if the message has another seq. */
export async function standsElsewhere({ vault }: Live, message: StoredMessage): Promise<boolean> {
  const seq = await seqOfMessage(vault, message)
  return seq !== undefined && seq !== message.seq
}

const repeated = (message: StoredMessage): StoredMessage => ({
  ...message,
  body: { kind: 'unreadable', reason: 'This message stands in the chat already: the server repeats it' },
})
