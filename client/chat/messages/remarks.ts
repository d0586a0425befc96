import { clockTime, dayOf, moment } from '../../ui/time.ts'
import type { ShownMessage } from './store.ts'

/** `below` holds lines under the message, `details` the tooltip of the time. */
export function remarksOf(message: ShownMessage, name: string): { below: string[]; details: string[] } {
  const { isMine, isRemovedSince, isArchiveWrong, isOlder } = message
  const removed = isRemovedSince ? [`Sent from a browser that ${isMine ? 'you have' : `${name} has`} removed since.`] : []
  const archive = isArchiveWrong ? ['Sealed wrongly for the archive: your other and later browsers cannot read it.'] : []
  // Most older messages are from removed browsers after a change of browsers, so a line below each would be noise.
  return isOlder ? { below: archive, details: removed } : { below: [...archive, ...removed], details: [] }
}

/** Returns the author's time if the server's time is far away; the day too if different. */
export function writtenAt({ at, sentAt }: Pick<ShownMessage, 'at' | 'sentAt'>): string | undefined {
  if (sentAt === undefined) return undefined
  const [written, shown] = [new Date(sentAt), new Date(at)]
  return `written ${dayOf(written) === dayOf(shown) ? clockTime(written) : moment(written)}`
}

/** Adds the capital and the full stop that a reason may lack. */
export function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
