import type { Content } from '../content.ts'

/** Has content if this build can read it. */
export interface Entry {
  id: string
  /** Absent in the outbox. */
  senderId?: string
  body?: { kind: string; content?: Content }
  content?: Content | null
}

/** Takes entries oldest first. A kind that changes another message does so here. */
export function foldEntries<E extends Entry>(entries: E[]): E[] {
  const calls = new Set<string>()
  return entries.filter((entry) => {
    const content = entry.body ? entry.body.content : entry.content
    if (content?.type !== 'call') return true
    // Nobody hides another's line.
    const line = `${entry.senderId} ${content.callId}`
    const isFirst = !calls.has(line)
    calls.add(line)
    return isFirst
  })
}
