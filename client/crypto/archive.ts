import { fromBase64, sameBytes, toBase64 } from '../../contract/bytes.ts'
import type { Envelope } from '../../contract/envelope.ts'
import { parseEnvelope } from '../../contract/envelope.ts'
import type { Message } from '../../contract/messages.ts'
import type { ArchiveKey } from '../../contract/rooms.ts'
import { exclusive } from './exclusive.ts'
import { CryptoFailure } from './failure.ts'
import type { Live } from './live.ts'
import { type Opened, openByArchive } from './message.ts'
import { type Peer, pairOf } from './peers.ts'
import { messageWrite, recordWrite, roomRecord, type StoredBody, type StoredMessage } from './room.ts'
import { openFrom, sealTo } from './seal.ts'

export interface EpochName {
  groupId: string
  epoch: number
}

const rowOf = ({ groupId, epoch }: EpochName) => `epoch:${groupId}:${epoch}`

/** Seals an epoch's archive key to one account's history key; undefined where that account keeps no history [Note: H1]. */
export async function sealArchiveKey(
  userId: string,
  peer: Peer,
  place: EpochName,
  archiveKey: Uint8Array,
): Promise<ArchiveKey | undefined> {
  const { historyKey, historyKeyId } = peer.manifest
  if (!historyKey) return undefined
  const sealed = await sealTo(fromBase64(historyKey), 'conclave/archive-seal/v1', archiveKey, ...context(place, peer.identityKey))
  return { userId, ...place, historyKeyId, sealed: toBase64(sealed) }
}

/** Opens sealed archive keys with the account's history keys and keeps them. One that does not open is left out. */
export async function keepArchiveKeys(live: Live, keys: ArchiveKey[]): Promise<void> {
  for (const key of keys) {
    const bytes = await openArchiveKey(live, key)
    if (bytes) await live.vault.write([{ store: 'sealed', key: rowOf(key), value: { json: null, bytes } }])
  }
}

/** An epoch's key out of its seal; undefined where a committer sealed rubbish: its messages then say that their key is missing. */
export async function openArchiveKey(live: Live, key: ArchiveKey): Promise<Uint8Array | undefined> {
  const history = live.history.find(({ id }) => id === key.historyKeyId)
  if (!history || key.userId !== live.userId) return undefined
  try {
    return await openFrom(history.seed, 'conclave/archive-seal/v1', fromBase64(key.sealed), ...context(key, live.identityKey))
  } catch (error) {
    if (error instanceof CryptoFailure) return undefined
    throw error
  }
}

export const archiveKeyHeld = async (live: Live, place: EpochName): Promise<Uint8Array | undefined> =>
  (await live.vault.get('sealed', rowOf(place)))?.bytes

/** What the archive says of a message, or the envelope itself while its key is missing. */
export async function readByArchive(
  live: Live,
  envelope: Envelope,
  message: Sent,
  pair: Pair,
): Promise<{ senderId: string; body: StoredBody }> {
  const key = await archiveKeyHeld(live, envelope)
  if (!key) return { senderId: message.senderId, body: { kind: 'sealed', envelope: message.content } }
  try {
    return readOpened(live, await openByArchive(key, envelope), message, pair)
  } catch (error) {
    return unreadable(message, error)
  }
}

/** What the server says of a message, before anything is proven. */
type Sent = Pick<Message, 'id' | 'chatRoomId' | 'senderId' | 'content'>

export interface Pair {
  peerId: string
  self: Peer
  peer: Peer
}

/** Accepts an opened message when its signature is of one of the room's two accounts and it was said here. */
export function readOpened(live: Live, opened: Opened, message: Sent, pair: Pair): { senderId: string; body: StoredBody } {
  const { statement, accountKey } = opened
  const senderId = sameBytes(accountKey, pair.self.identityKey)
    ? live.userId
    : sameBytes(accountKey, pair.peer.identityKey)
      ? pair.peerId
      : undefined
  if (!senderId) throw new CryptoFailure('sender', 'It was signed by somebody who is not in this room')
  if (statement.id !== message.id || statement.chatRoomId !== message.chatRoomId)
    throw new CryptoFailure('place', 'It was written for another place')
  return { senderId, body: { kind: 'content', content: statement.content } }
}

/** A failure of cryptography is always shown; anything else is a bug and passes. */
export function unreadable(message: Sent, error: unknown): { senderId: string; body: StoredBody } {
  if (!(error instanceof CryptoFailure)) throw error
  return { senderId: message.senderId, body: { kind: 'unreadable', reason: error.message } }
}

/** The vault's row of a message that did not pass by MLS. */
export async function archivedMessage(live: Live, message: Message, pair: Pair): Promise<StoredMessage> {
  const envelope = parseEnvelope(message.content)
  const { id, chatRoomId, seq, createdAt: at } = message
  if (!envelope) return { id, chatRoomId, seq, at, senderId: message.senderId, body: { kind: 'plain', text: message.content } }
  return { id, chatRoomId, seq, at, ...(await readByArchive(live, envelope, message, pair)) }
}

/** The epochs whose archive keys this device still needs to read these messages. */
export async function missingEpochs(live: Live, messages: Pick<Message, 'content'>[]): Promise<EpochName[]> {
  const places = new Map<string, EpochName>()
  for (const { content } of messages) {
    const envelope = parseEnvelope(content)
    if (envelope) places.set(rowOf(envelope), { groupId: envelope.groupId, epoch: envelope.epoch })
  }
  const held = await Promise.all([...places.values()].map(async (place) => [place, await archiveKeyHeld(live, place)] as const))
  return held.filter(([, key]) => !key).map(([place]) => place)
}

/** Keeps a page of older messages, read by the archive. `isStart`: nothing older exists. */
export async function adoptPage(
  live: Live,
  input: { chatRoomId: string; peerId: string; messages: Message[]; isStart: boolean },
): Promise<void> {
  const { chatRoomId, peerId, messages, isStart } = input
  const pair = { peerId, ...(await pairOf(live, peerId)) }
  const stored = await Promise.all(messages.map((message) => archivedMessage(live, message, pair)))
  await exclusive(`conclave/${live.userId}/${chatRoomId}`, async () => {
    const record = await roomRecord(live, chatRoomId)
    if (!record) return
    const from = isStart ? 1 : Math.min(record.from, ...stored.map((message) => message.seq))
    const fresh = stored.filter((message) => message.seq < record.from)
    await live.vault.write([recordWrite(chatRoomId, { ...record, from }), ...fresh.map(messageWrite)])
  })
}

/** Opens rows that waited for their archive key. */
export async function reopenSealed(
  live: Live,
  input: { chatRoomId: string; peerId: string; messages: StoredMessage[] },
): Promise<void> {
  const pair = { peerId: input.peerId, ...(await pairOf(live, input.peerId)) }
  const opened: StoredMessage[] = []
  for (const message of input.messages) {
    if (message.body.kind !== 'sealed') continue
    const envelope = parseEnvelope(message.body.envelope)
    if (!envelope || !(await archiveKeyHeld(live, envelope))) continue
    const asSent = { ...message, content: message.body.envelope }
    opened.push({ ...message, ...(await readByArchive(live, envelope, asSent, pair)) })
  }
  if (opened.length > 0) await live.vault.write(opened.map(messageWrite))
}

const context = ({ groupId, epoch }: EpochName, identityKey: Uint8Array): [Uint8Array, string, Uint8Array] => [
  fromBase64(groupId),
  String(epoch),
  identityKey,
]
