import type { Live } from '../keys/live.ts'
import { isProven, messageName, type StoredMessage, seqOfMessage } from '../vault/storedMessage.ts'

/**
 * Returns the messages just read, in the order of the log; a verified one that already exists at another seq becomes unreadable,
 * because a server may replay an envelope [Note: M4]. `before` has earlier messages of the same step, not stored yet.
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

/** True if the vault has this person's message at another seq. */
export async function standsElsewhere({ vault }: Live, message: StoredMessage): Promise<boolean> {
  const seq = await seqOfMessage(vault, message)
  return seq !== undefined && seq !== message.seq
}

const repeated = (message: StoredMessage): StoredMessage => ({
  ...message,
  body: { kind: 'unreadable', reason: 'This message stands in the chat already: the server repeats it' },
})
