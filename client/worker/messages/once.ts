import type { OnceContent } from '../../../contract/chat/content.ts'
import { withoutFile } from '../../../contract/chat/oncefiles.ts'
import { type KeptStatement, messageWrites, type StoredMessage } from '../vault/storedMessage.ts'
import type { TakenActs } from './takenActs.ts'

type Once = StoredMessage & { body: { kind: 'content'; content: OnceContent; kept?: KeptStatement } }

export const isOnce = (entry: StoredMessage): entry is Once => entry.body.kind === 'content' && entry.body.content.type === 'once'

/** Returns the message without file and statement. */
export const spent = (entry: Once): Once => ({ ...entry, body: { kind: 'content', content: withoutFile(entry.body.content) } })

const isStray = (entry: Once, userId: string): boolean =>
  entry.body.content.file !== undefined && (entry.senderId === userId || entry.body.kept !== undefined)

/** Drops own files, and statements of older builds [Note: M14]. */
export function withoutOwnFiles(userId: string, taken: TakenActs): TakenActs {
  const strays = taken.entries.filter(isOnce).filter((entry) => isStray(entry, userId))
  if (strays.length === 0) return taken
  const now = new Map(strays.map((entry) => [entry.seq, entry.senderId === userId ? spent(entry) : unkept(entry)]))
  return {
    ...taken,
    entries: taken.entries.map((entry) => now.get(entry.seq) ?? entry),
    deleted: [...taken.deleted, ...strays.flatMap(({ senderId, body }) => (senderId === userId ? [body.content] : []))],
    writes: [...taken.writes, ...[...now.values()].flatMap(messageWrites)],
  }
}

const unkept = (entry: Once): Once => ({ ...entry, body: { kind: 'content', content: entry.body.content } })
