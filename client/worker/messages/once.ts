import type { OnceContent } from '../../../contract/chat/content.ts'
import { withoutFile } from '../../../contract/chat/oncefiles.ts'
import { messageWrites, type StoredMessage } from '../vault/storedMessage.ts'
import type { TakenActs } from './takenActs.ts'

type Once = StoredMessage & { body: { kind: 'content'; content: OnceContent } }

export const isOnce = (entry: StoredMessage): entry is Once => entry.body.kind === 'content' && entry.body.content.type === 'once'

/** Returns the message without its file. */
export const closed = (entry: Once): Once => ({ ...entry, body: { ...entry.body, content: withoutFile(entry.body.content) } })

/** Drops own files that open once [Note: M14]. */
export function withoutOwnFiles(userId: string, taken: TakenActs): TakenActs {
  const own = taken.entries.filter(isOnce).filter(({ senderId }) => senderId === userId)
  if (own.length === 0) return taken
  return {
    ...taken,
    entries: taken.entries.map((entry) => (isOnce(entry) && entry.senderId === userId ? closed(entry) : entry)),
    deleted: [...taken.deleted, ...own.map(({ body }) => body.content)],
    writes: [...taken.writes, ...own.map(closed).flatMap(messageWrites)],
  }
}
