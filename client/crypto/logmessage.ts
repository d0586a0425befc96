import { fromBase64, toBase64, utf8 } from '../../contract/bytes.ts'
import { type Envelope, parseEnvelope } from '../../contract/envelope.ts'
import { type Read, readByArchive, readOpened, readPlain, unreadable } from './archive.ts'
import { CryptoFailure } from './failure.ts'
import { archiveKeyOf, openByGroup } from './message.ts'
import { epochOf, type Group } from './mls.ts'
import { type OwnRow, ownRow, settledWrites } from './outbox.ts'
import { leave, type MessageEntry, type Passing } from './passing.ts'
import type { RoomRecord, StoredMessage } from './room.ts'
import { onceEach, standsElsewhere } from './said.ts'
import { sha256 } from './seal.ts'
import { waitingWith } from './waiting.ts'

/** Reads the next message of a room's log. What cannot be read becomes a line that says why. */
export async function passMessage(at: Passing, entry: MessageEntry): Promise<void> {
  const { live, record } = at
  record.runningHash = nextHash(record, entry.content)
  const own = entry.senderId === live.userId ? await ownRow(live, entry.id) : undefined
  const read = own?.envelope === entry.content ? settle(at, entry, own) : await readEntry(at, entry)
  const [message] = await onceEach(live, [placed(at, entry, read)], at.messages)
  if (!message) return
  if (read.proof && message.body.kind === 'content') heed(at, entry, read.proof.statement.manifests)
  record.waiting = waitingWith(record.waiting, message)
  at.messages.push(message)
}

async function readEntry(at: Passing, entry: MessageEntry): Promise<Read> {
  const { group, record } = at
  const envelope = parseEnvelope(entry.content)
  if (!envelope) return readPlain(entry)
  if (!group || envelope.groupId !== record.groupId) return readByArchive(at, envelope, entry)
  // [Note: M2] The server refuses these; a message of an old epoch here means that it did not.
  if (envelope.epoch < epochOf(group))
    return unreadable(entry, new CryptoFailure('epoch', 'It was sealed for an earlier state of this room'))
  if (envelope.epoch === epochOf(group)) return readHere(at, entry, envelope, group)
  // A commit of this group is missing in the log: this device does not follow it any more.
  await leave(at)
  return readByArchive(at, envelope, entry)
}

async function readHere(at: Passing, entry: MessageEntry, envelope: Envelope, group: Group): Promise<Read> {
  try {
    const { group: next, opened } = await openByGroup(group, envelope)
    const read = readOpened(at, opened, entry)
    at.group = next
    return read
  } catch (error) {
    const isUnopened = error instanceof CryptoFailure && (error.code === 'mls' || error.code === 'own_message')
    if (!isUnopened) return unreadable(entry, error)
    // Whoever shares the epoch has its archive key; which device wrote is proven by the signature in the body.
    const read = await readByArchive(at, envelope, entry, await archiveKeyOf(group))
    if (read.body.kind === 'sealed') return unreadable(entry, error)
    if (read.senderId === at.live.userId && read.proof?.deviceId === at.live.device.id) await meetOwn(at, entry, read)
    return read
  }
}

/** A message of this very device that is not the one it waits for. */
async function meetOwn(at: Passing, entry: MessageEntry, read: Read): Promise<void> {
  const own = await ownRow(at.live, entry.id)
  if (own) settle(at, entry, own)
  // [Note: V2] The vault does not know it: the profile was rolled back. What it knows at another place is only repeated.
  else if (!(await standsElsewhere(at.live, placed(at, entry, read))) && !at.messages.some(({ id }) => id === entry.id))
    await leave(at)
}

/** The text of an own message is what this device kept: MLS does not open it. */
function settle(at: Passing, entry: MessageEntry, own: OwnRow): Read {
  at.writes.push(...settledWrites(at.chatRoomId, entry.id, own))
  at.hasSettled = true
  return { senderId: at.live.userId, body: { kind: 'content', content: own.content } }
}

/** What a proven message says beside its text: the epoch that it was sealed in, and the newest manifests [Note: D2]. */
function heed(at: Passing, { content }: MessageEntry, manifests: Record<string, number>): void {
  const { live, record, pair } = at
  const envelope = parseEnvelope(content)
  if (envelope && envelope.groupId === record.groupId) record.epoch = Math.max(record.epoch, envelope.epoch)
  const known = [
    [live.userId, pair.self.version],
    [pair.peerId, pair.peer.version],
  ] as const
  for (const [userId, version] of known) {
    const named = manifests[userId] ?? 0
    if (named > Math.max(version, at.newerManifests.get(userId) ?? 0)) at.newerManifests.set(userId, named)
  }
}

const placed = (at: Passing, { id, seq, createdAt }: MessageEntry, { senderId, body }: Read): StoredMessage => ({
  id,
  chatRoomId: at.chatRoomId,
  seq,
  at: createdAt,
  senderId,
  body,
})

const nextHash = ({ runningHash }: RoomRecord, content: string): string =>
  toBase64(sha256('conclave/log/v1', fromBase64(runningHash), sha256('conclave/log-entry/v1', utf8(content))))
