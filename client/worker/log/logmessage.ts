import { readSaid } from '../../../contract/chat/content.ts'
import { type Envelope, parseEnvelope } from '../../../contract/chat/envelope.ts'
import { listsNamedBy, withLists } from '../group/forks.ts'
import { epochOf, type Group } from '../group/mls.ts'
import { isSealedAt } from '../group/signers.ts'
import { type Read, readByArchive, readOpened, readUnsealed, sentFar, unreadable } from '../messages/archive.ts'
import { noteNamedVersions } from '../messages/namedVersions.ts'
import { onceEach, standsElsewhere } from '../messages/onceEach.ts'
import { type OwnRow, ownRow, settledWrites } from '../messages/outbox.ts'
import { archiveKeyOf, openByGroup } from '../messages/sealedMessage.ts'
import { isOtherLog, withMessage } from '../messages/transcript.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { bodyOf, entryAt, isProven, type StoredBody, type StoredMessage } from '../vault/storedMessage.ts'
import type { Transcript } from '../vault/storedRoom.ts'
import { type CatchUp, keepEpochKey, leave, type MessageEntry } from './catchUp.ts'
import { isUnopened, withUnopened } from './unopenedMessages.ts'

/** Reads the log's next message, or says why it is unreadable. */
export async function takeMessage(at: CatchUp, entry: MessageEntry): Promise<void> {
  const { live, record } = at
  const before = record.transcript
  record.transcript = withMessage(before, entry.content)
  const own = entry.senderId === live.userId ? await ownRow(live, entry.id) : undefined
  const read = own?.envelope === entry.content ? settle(at, entry, own) : await readEntry(at, entry)
  const [message] = await onceEach(live, [placed(at, entry, read)], at.messages)
  if (!message) return
  if (read.proof && isProven(message)) {
    noteEpoch(at, entry)
    noteNamedVersions(at.named, at, read.senderId, read.proof)
    at.record = withLists(at.record, at.accounts, listsNamedBy(at.accounts, read.senderId, read.proof))
    if (await isMisplaced(at, entry, before, read.proof)) message.isOutOfPlace = true
  }
  if (isUnopened(message) && before) message.transcript = before
  at.record = withUnopened(at.record, message)
  at.messages.push(message)
}

async function readEntry(at: CatchUp, entry: MessageEntry): Promise<Read> {
  const { group, record } = at
  const envelope = parseEnvelope(entry.content)
  if (!envelope) {
    const read = readUnsealed(entry)
    if (read.body.kind === 'newer' && group) await keepEpochKey(at, group)
    return read
  }
  // [Note: M2, H3]
  if (!isSealedAt(record.log, envelope, at.chatRoomId, at.accounts)) {
    // The log lacks a commit of this group.
    if (group && envelope.groupId === record.groupId && envelope.epoch > epochOf(group)) await leave(at)
    return unreadable(entry, new CryptoFailure('epoch', 'It was sealed for another state of this chat'))
  }
  return group ? readHere(at, entry, envelope, group) : readByArchive(at, envelope, entry)
}

async function readHere(at: CatchUp, entry: MessageEntry, envelope: Envelope, group: Group): Promise<Read> {
  try {
    const { group: next, opened, isArchived } = await openByGroup(group, envelope)
    const read = readOpened(at, opened, entry)
    at.group = next
    return isArchived ? read : { ...read, flags: { ...read.flags, isArchiveWrong: true } }
  } catch (error) {
    const isUnopened = error instanceof CryptoFailure && (error.code === 'mls' || error.code === 'own_message')
    if (!isUnopened) return unreadable(entry, error)
    // Every member has the archive key: only the signature proves the device.
    const read = await readByArchive(at, envelope, entry, await archiveKeyOf(group))
    if (read.body.kind === 'sealed') return unreadable(entry, error)
    if (read.senderId === at.live.userId && read.proof?.deviceId === at.live.device.id) await takeOwnMessage(at, entry, read)
    return read
  }
}

async function takeOwnMessage(at: CatchUp, entry: MessageEntry, read: Read): Promise<void> {
  const own = await ownRow(at.live, entry.id)
  if (own) settle(at, entry, own)
  // [Note: V2] An unknown own message proves a rollback; one at another seq is a replay.
  else if (!(await standsElsewhere(at.live, placed(at, entry, read))) && !at.messages.some(({ id }) => id === entry.id)) {
    at.isCopied = true
    await leave(at)
  }
}

/** Reads the device's copy: MLS does not open own messages. */
function settle(at: CatchUp, entry: MessageEntry, own: OwnRow): Read {
  at.writes.push(...settledWrites(at.chatRoomId, entry.id, own))
  at.hasSettled = true
  const known = readSaid(own.content)
  // A newer tab sent a kind that this build does not know.
  const body: StoredBody = known ? bodyOf(known) : { kind: 'newer', kept: { body: { kind: 'content', content: own.content } } }
  return {
    senderId: at.live.userId,
    body,
    flags: {
      ...(own.sentAt === undefined ? {} : sentFar({ sentAt: own.sentAt }, entry.createdAt)),
      ...(own.lifetime && { lifetime: own.lifetime }),
      deviceId: at.live.device.id,
    },
  }
}

/** [Note: R4] A verified message proves its epoch. */
function noteEpoch({ record }: CatchUp, { content }: MessageEntry): void {
  const envelope = parseEnvelope(content)
  if (envelope && envelope.groupId === record.groupId) record.epoch = Math.max(record.epoch, envelope.epoch)
}

/** Returns true if the sender saw another log [Note: M5]. */
function isMisplaced(
  { live, chatRoomId, messages }: CatchUp,
  { seq }: MessageEntry,
  mine: Transcript | undefined,
  { statement }: NonNullable<Read['proof']>,
): Promise<boolean> {
  return isOtherLog(mine, seq, statement.seen, async (place) => {
    const earlier = messages.find((message) => message.seq === place) ?? (await entryAt(live.vault, chatRoomId, place))
    return earlier?.hash
  })
}

const placed = (at: CatchUp, { id, seq, createdAt }: MessageEntry, { senderId, body, flags }: Read): StoredMessage => ({
  id,
  chatRoomId: at.chatRoomId,
  seq,
  at: createdAt,
  senderId,
  body,
  ...flags,
  ...(at.route && { route: at.route }),
  ...(at.record.transcript && { hash: at.record.transcript.hash }),
})
