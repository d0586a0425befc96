import type { Content } from '../content.ts'

/** An entry of a chat's log or of the outbox. It has content if this build can read what its author signed. */
export interface Entry {
  id: string
  body?: { kind: string; content?: Content }
  content?: Content | null
}

/**
 * Turns a chat's entries, oldest first, into the messages that are shown, searched, exported and told of. The vault and the outbox keep
 * the entries. Every kind of today is a message of its own, so each entry stays as it is; a kind that changes another message changes
 * it here, and nowhere else.
 */
export const foldEntries = <E extends Entry>(entries: E[]): E[] => entries
