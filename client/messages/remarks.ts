import type { ShownMessage } from './store.ts'

/** What is to be known of a message beside its words: in lines below it, and in the details of its time. `name`: the other side's. */
export function remarksOf(message: ShownMessage, name: string): { below: string[]; details: string[] } {
  const { isMine, isRemovedSince, isOlder } = message
  const removed = isRemovedSince ? [`Sent from a browser that ${isMine ? 'you have' : `${name} has`} removed since.`] : []
  // Among older messages that is the rule: whoever has changed browsers would see it everywhere.
  return isOlder ? { below: [], details: removed } : { below: removed, details: [] }
}
