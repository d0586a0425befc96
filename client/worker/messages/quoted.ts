import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { quotedWords } from '../../../contract/chat/kinds/kinds.ts'
import type { Live } from '../keys/live.ts'
import { type MessageName, messageAt, seqOfMessage } from '../vault/storedMessage.ts'
import { roomRecord } from '../vault/storedRoom.ts'

export interface Quoted {
  /** The vault's first seq. */
  from: number
  said: { seq: number; words: string } | undefined
}

/** Finds a quoted message. */
export async function quoted({ vault }: Live, name: MessageName): Promise<Quoted> {
  const [seq, record] = await Promise.all([seqOfMessage(vault, name), roomRecord(vault, name.chatRoomId)])
  const from = record?.from ?? 0
  // Names of cleared messages stay.
  const message = seq === undefined || seq < from ? undefined : await messageAt(vault, name.chatRoomId, seq)
  const [shown] = foldEntries(message ? [message] : [])
  if (shown?.body.kind !== 'content') return { from, said: undefined }
  return { from, said: { seq: shown.seq, words: quotedWords(shown.body.content) } }
}
