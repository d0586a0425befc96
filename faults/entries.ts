import { parseEnvelope } from '../contract/chat/envelope.ts'
import type { Message } from '../contract/chat/messages.ts'
import type { CommitEntry, LogEntry } from '../contract/chat/rooms.ts'
import { digestOf, type Entry } from './recorder.ts'

/** Converts a message to the checker's form. */
export const entryOfMessage = ({
  id,
  seq,
  chatRoomId,
  senderId,
  content,
}: Pick<Message, 'id' | 'seq' | 'chatRoomId' | 'senderId' | 'content'>): Entry => ({
  kind: 'message',
  ...{ roomId: chatRoomId, seq, id, senderId },
  digest: digestOf(content),
  epoch: parseEnvelope(content)?.epoch ?? null,
})

/** Converts a commit to the checker's form. */
export function entryOfCommit({
  seq,
  chatRoomId,
  senderId,
  commit,
  epoch,
}: Pick<CommitEntry, 'seq' | 'chatRoomId' | 'senderId' | 'commit' | 'epoch'>): Entry {
  const digest = digestOf(commit)
  return { kind: 'commit', roomId: chatRoomId, seq, id: digest, senderId, digest, epoch }
}

export function entryOf(entry: LogEntry): Entry {
  // Nobody blocks or clears here.
  if (entry.kind === 'withheld') throw new Error('The server withholds a message')
  return entry.kind === 'commit' ? entryOfCommit(entry) : entryOfMessage(entry)
}
