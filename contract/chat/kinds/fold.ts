import type { Content } from '../content.ts'

/** Has content if this build can read it. */
export interface Entry {
  id: string
  body?: { kind: string; content?: Content }
  content?: Content | null
}

/** Takes entries oldest first. A kind that changes another message does so here. */
export const foldEntries = <E extends Entry>(entries: E[]): E[] => entries
