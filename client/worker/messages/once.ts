import type { OnceContent } from '../../../contract/chat/content.ts'
import { withoutFile } from '../../../contract/chat/oncefiles.ts'
import { type KeptStatement, messageWrites, type StoredMessage } from '../vault/storedMessage.ts'
import type { TakenActs } from './takenActs.ts'

type Once = StoredMessage & { body: { kind: 'content'; content: OnceContent; kept?: KeptStatement } }

export const isOnce = (entry: StoredMessage): entry is Once => entry.body.kind === 'content' && entry.body.content.type === 'once'

/** Returns the message without file and statement. */
export const closed = (entry: Once): Once => ({ ...entry, body: { kind: 'content', content: withoutFile(entry.body.content) } })

const isStrayOnce = (entry: StoredMessage, userId: string): boolean =>
  isOnce(entry) && entry.body.content.file !== undefined && (entry.senderId === userId || entry.body.kept !== undefined)

/** Drops own files, and statements of older builds [Note: M14]. */
export function withoutOwnFiles(userId: string, taken: TakenActs): TakenActs {
  const strays = taken.entries.filter((entry) => isStrayOnce(entry, userId)).filter(isOnce)
  if (strays.length === 0) return taken
  const now = new Map(strays.map((entry) => [entry.seq, entry.senderId === userId ? closed(entry) : unkept(entry)]))
  return {
    ...taken,
    entries: taken.entries.map((entry) => now.get(entry.seq) ?? entry),
    deleted: [...taken.deleted, ...strays.flatMap(({ senderId, body }) => (senderId === userId ? [body.content] : []))],
    writes: [...taken.writes, ...[...now.values()].flatMap(messageWrites)],
  }
}

const unkept = (entry: Once): Once => ({ ...entry, body: { kind: 'content', content: entry.body.content } })
