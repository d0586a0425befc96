import { parseEnvelope } from '../../contract/envelope.ts'
import type { Message } from '../../contract/messages.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { messageWrites, type StoredMessage } from '../vault/messages.ts'
import { recordWrite } from '../vault/rooms.ts'
import { type Reading, readByArchive, readUnsealed } from './archive.ts'
import type { Live } from './live.ts'
import { onceEach } from './repeats.ts'
import { type Place, withRoom } from './room.ts'
import { type NamedVersions, type NewerVersions, newerVersions, noteNamedVersions, noVersions } from './versions.ts'
import { withUnopened } from './waiting.ts'

/** Keeps a page of older messages, read by the archive. `isStart`: nothing older exists. Answers what they name that is newer. */
export function adoptPage(live: Live, input: Place & { messages: Message[]; isStart: boolean }): Promise<NewerVersions> {
  const { chatRoomId, peerIds, messages, isStart } = input
  return withRoom(live, chatRoomId, peerIds, async ({ record, accounts }) => {
    const named = noVersions()
    if (!record) return newerVersions(live, named)
    if (messages.some((message) => message.chatRoomId !== chatRoomId))
      throw new CryptoFailure('place', 'The server returned messages of another room')
    const before = messages.filter((message) => message.seq < record.from).sort((a, b) => a.seq - b.seq)
    const at: Reading = { live, chatRoomId, accounts }
    const fresh = await onceEach(live, await Promise.all(before.map((message) => readOlder(at, message, named))))
    const noted = fresh.reduce(withUnopened, record)
    const from = isStart ? 1 : Math.min(record.from, ...before.map(({ seq }) => seq))
    await live.vault.write([recordWrite(chatRoomId, { ...noted, from }), ...fresh.flatMap(messageWrites)])
    return newerVersions(live, named)
  })
}

/** The vault's row of a message that did not pass by MLS. */
async function readOlder(at: Reading, message: Message, named: NamedVersions): Promise<StoredMessage> {
  const { id, seq, createdAt } = message
  const envelope = parseEnvelope(message.content)
  const { senderId, body, proof } = envelope ? await readByArchive(at, envelope, message) : readUnsealed(message)
  if (proof) noteNamedVersions(named, at, senderId, proof)
  const isOutOfPlace = proof !== undefined && proof.statement.seen.seq >= seq
  return { id, chatRoomId: at.chatRoomId, seq, at: createdAt, senderId, body, ...(isOutOfPlace && { isOutOfPlace }) }
}
