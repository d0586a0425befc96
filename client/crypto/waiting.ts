import { parseEnvelope } from '../../contract/envelope.ts'
import { lateWrites } from '../index/late.ts'
import { messageAt, messagesOf, messageWrites, type StoredMessage } from '../vault/messages.ts'
import { type EpochName, recordWrite, type Waiting } from '../vault/rooms.ts'
import { archiveKeyHeld, type Reading, readByArchive } from './archive.ts'
import type { Live } from './live.ts'
import { onceEach } from './repeats.ts'
import { type Place, withRoom } from './room.ts'
import { isOtherLog } from './transcript.ts'

const CHUNK = 100
/** A server may name any number of epochs. */
const WAITING_MAX = 200

/** The epochs that messages wait for, once this one waits too. A message that is not sealed changes nothing. */
export function waitingWith(waiting: Waiting[], { body, seq }: StoredMessage): Waiting[] {
  const envelope = body.kind === 'sealed' ? parseEnvelope(body.envelope) : undefined
  if (!envelope) return waiting
  const { groupId, epoch } = envelope
  const known = waiting.find((one) => one.groupId === groupId && one.epoch === epoch)
  const wider = { groupId, epoch, first: Math.min(seq, known?.first ?? seq), last: Math.max(seq, known?.last ?? seq) }
  return [...waiting.filter((one) => one !== known), wider].slice(-WAITING_MAX)
}

/** Opens the messages whose archive key has come meanwhile. Answers the epochs for which others go on waiting. */
export function reopenWaiting(live: Live, { chatRoomId, peerId }: Place): Promise<EpochName[]> {
  return withRoom(live, chatRoomId, peerId, async ({ record, pair }) => {
    if (!record) return []
    const still: Waiting[] = []
    for (const place of record.waiting) {
      const isOpen = (await archiveKeyHeld(live, place)) && (await reopenEpoch({ live, chatRoomId, pair }, place))
      if (!isOpen) still.push(place)
    }
    if (still.length < record.waiting.length) await live.vault.write([recordWrite(chatRoomId, { ...record, waiting: still })])
    return still.map(({ groupId, epoch }) => ({ groupId, epoch }))
  })
}

/** Whether nothing of the epoch waits any more. */
async function reopenEpoch(at: Reading, { groupId, epoch, first, last }: Waiting): Promise<boolean> {
  let isOpen = true
  for (let after = first - 1; after < last; ) {
    const rows = await messagesOf(at.live.vault, at.chatRoomId, { after, before: last + 1, limit: CHUNK })
    const read: StoredMessage[] = []
    for (const { transcript, ...message } of rows) {
      const envelope = message.body.kind === 'sealed' ? parseEnvelope(message.body.envelope) : undefined
      if (message.body.kind !== 'sealed' || envelope?.groupId !== groupId || envelope.epoch !== epoch) continue
      const { senderId, body, proof } = await readByArchive(at, envelope, { ...message, content: message.body.envelope })
      const hashAt = async (place: number) => (await messageAt(at.live.vault, at.chatRoomId, place))?.hash
      const isOutOfPlace = proof !== undefined && (await isOtherLog(transcript, message.seq, proof.statement.seen, hashAt))
      if (body.kind === 'sealed') isOpen = false
      else read.push({ ...message, senderId, body, ...(isOutOfPlace && { isOutOfPlace }) })
    }
    await at.live.vault.write([...(await onceEach(at.live, read)).flatMap(messageWrites), ...lateWrites(at.chatRoomId, read)])
    after = rows.at(-1)?.seq ?? last
  }
  return isOpen
}
