import type { ShownMessage } from './store.ts'

/** Remarks on a message: lines `below` it, and `details` in the tooltip of its time. `name` is the other person's. */
export function remarksOf(message: ShownMessage, name: string): { below: string[]; details: string[] } {
  const { isMine, isRemovedSince, isOlder } = message
  const removed = isRemovedSince ? [`Sent from a browser that ${isMine ? 'you have' : `${name} has`} removed since.`] : []
  // Most older messages are from removed browsers if a person has changed browsers, so a line below each would be noise.
  return isOlder ? { below: [], details: removed } : { below: removed, details: [] }
}
