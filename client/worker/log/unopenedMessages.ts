import { type Envelope, envelopeVersion, isKnownVersion, parseEnvelope } from '../../../contract/chat/envelope.ts'
import { listsNamedBy, withLists } from '../group/forks.ts'
import { type Place, withRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { takeActs } from '../messages/acts.ts'
import { archiveKeyHeld, type Reading, readByArchive } from '../messages/archive.ts'
import { onceEach } from '../messages/onceEach.ts'
import { dropDeleted, type TakenActs, withActs, withRoomChange } from '../messages/takenActs.ts'
import { isOtherLog } from '../messages/transcript.ts'
import { lateWrites } from '../searchindex/lateMessages.ts'
import { entryAt, messagesOf, messageWrites, type StoredBody, type StoredMessage } from '../vault/storedMessage.ts'
import { type EpochName, type NamedList, type RoomRecord, recordWrite, type Waiting } from '../vault/storedRoom.ts'

const CHUNK = 100
/** A server may name any number of epochs. */
const WAITING_MAX = 200
/** A server may name any number; later builds know the lowest first. */
const VERSIONS_MAX = 8

function unopenedIn(body: StoredBody): string | undefined {
  if (body.kind === 'sealed') return body.envelope
  return body.kind === 'newer' && 'envelope' in body.kept ? body.kept.envelope : undefined
}

/** Returns true if a message waits for a key or a newer build. */
export const isUnopened = ({ body }: StoredMessage): boolean => unopenedIn(body) !== undefined

/** Adds an unopened message to the room's waiting ones. */
export function withUnopened(record: RoomRecord, { body, seq }: StoredMessage): RoomRecord {
  const content = unopenedIn(body)
  if (content === undefined) return record
  const widened = (known: { first: number; last: number } | undefined) => ({
    first: Math.min(seq, known?.first ?? seq),
    last: Math.max(seq, known?.last ?? seq),
  })
  const envelope = parseEnvelope(content)
  if (envelope) {
    const { groupId, epoch } = envelope
    const known = record.waiting.find((one) => one.groupId === groupId && one.epoch === epoch)
    const waiting = [...record.waiting.filter((one) => one !== known), { groupId, epoch, ...widened(known) }]
    return { ...record, waiting: waiting.slice(-WAITING_MAX) }
  }
  const version = envelopeVersion(content)
  if (version === undefined) return record
  const newer = record.newer ?? []
  const known = newer.find((one) => one.version === version)
  const wider = [...newer.filter((one) => one !== known), { version, ...widened(known) }]
  return { ...record, newer: wider.sort((a, b) => a.version - b.version).slice(0, VERSIONS_MAX) }
}

/** Opens messages whose key has arrived. Returns the waiting epochs. */
export function reopenWaiting(live: Live, { chatRoomId, peerIds }: Place): Promise<EpochName[]> {
  return withRoom(live, chatRoomId, peerIds, async ({ record, accounts }) => {
    if (!record) return []
    const still: Waiting[] = []
    const lists: NamedList[] = []
    const taken: Again['taken'] = { changed: [], isWaiting: false }
    for (const place of record.waiting) {
      const at = { live, chatRoomId, accounts, record, lists, taken }
      const isOpen = (await archiveKeyHeld(live, place)) && (await reopenEpoch(at, place))
      if (!isOpen) still.push(place)
    }
    const next = withActs(withLists(record, accounts, lists), taken)
    if (still.length < record.waiting.length || next !== record)
      await live.vault.write([recordWrite(chatRoomId, { ...next, waiting: still })])
    return still.map(({ groupId, epoch }) => ({ groupId, epoch }))
  })
}

interface Again extends Reading {
  record: RoomRecord
  lists: NamedList[]
  /** What acts among those have done so far. */
  taken: Pick<TakenActs, 'changed' | 'isWaiting' | 'roomChange'>
}

async function reopenEpoch(at: Again, place: Waiting): Promise<boolean> {
  const isOfEpoch = (_: StoredMessage, { groupId, epoch }: Envelope) => groupId === place.groupId && epoch === place.epoch
  return (await readAgain(at, place, isOfEpoch)).length === 0
}

/** Opens versions that the receiving build did not know. The caller stores the returned record. */
export async function reopenNewer(at: Reading, record: RoomRecord): Promise<RoomRecord> {
  const known = (record.newer ?? []).filter(({ version }) => isKnownVersion(version))
  if (known.length === 0) return record
  const { newer = [], ...rest } = record
  const left = newer.filter((one) => !known.includes(one))
  const before: RoomRecord = { ...rest, ...(left.length > 0 && { newer: left }) }
  const waiting: StoredMessage[] = []
  const lists: NamedList[] = []
  const taken: Again['taken'] = { changed: [], isWaiting: false }
  for (const range of known)
    waiting.push(...(await readAgain({ ...at, record, lists, taken }, range, ({ body }) => body.kind === 'newer')))
  return withActs(withLists(waiting.reduce(withUnopened, before), at.accounts, lists), taken)
}

const notedIn = (record: RoomRecord, { isWaiting, roomChange }: TakenActs): RoomRecord => ({
  ...record,
  ...(isWaiting && { hasWaitingActs: true }),
  ...withRoomChange(record, roomChange),
})

/** Stores opened messages. Returns those that wait for a key. */
async function readAgain(
  at: Again,
  { first, last }: { first: number; last: number },
  isMeant: (row: StoredMessage, envelope: Envelope) => boolean,
): Promise<StoredMessage[]> {
  const { live, chatRoomId } = at
  const waiting: StoredMessage[] = []
  const hashAt = async (place: number) => (await entryAt(live.vault, chatRoomId, place))?.hash
  for (let after = first - 1; after < last; ) {
    const rows = await messagesOf(live.vault, chatRoomId, { after, before: last + 1, limit: CHUNK })
    const opened: StoredMessage[] = []
    const nowSealed: StoredMessage[] = []
    for (const row of rows) {
      const content = unopenedIn(row.body)
      const envelope = content === undefined ? undefined : parseEnvelope(content)
      if (content === undefined || !envelope || !isMeant(row, envelope)) continue
      const { senderId, body, proof, flags } = await readByArchive(at, envelope, { ...row, createdAt: row.at, content })
      if (body.kind === 'sealed') {
        waiting.push({ ...row, body })
        if (row.body.kind !== 'sealed') nowSealed.push({ ...row, body })
        continue
      }
      if (proof) at.lists.push(...listsNamedBy(at.accounts, senderId, proof))
      const { transcript, ...message } = row
      const isOutOfPlace = proof !== undefined && (await isOtherLog(transcript, row.seq, proof.statement.seen, hashAt))
      opened.push({ ...message, senderId, body, ...flags, ...(isOutOfPlace && { isOutOfPlace }) })
    }
    const once = await onceEach(live, opened)
    const hasWaitingActs = at.record.hasWaitingActs === true || at.taken.isWaiting
    const taken = await takeActs(live, { ...at.record, ...at.taken.roomChange, chatRoomId, hasWaitingActs }, once)
    // The caller's write may never come.
    const noted =
      taken.isWaiting || taken.roomChange
        ? [recordWrite(chatRoomId, notedIn({ ...at.record, ...at.taken.roomChange }, taken))]
        : []
    await live.vault.write([...nowSealed.flatMap(messageWrites), ...lateWrites(chatRoomId, opened), ...taken.writes, ...noted])
    await dropDeleted(live, chatRoomId, taken)
    at.taken.changed.push(...taken.changed)
    at.taken.isWaiting ||= taken.isWaiting
    if (taken.roomChange) at.taken.roomChange = withRoomChange(at.taken.roomChange ?? {}, taken.roomChange)
    after = rows.at(-1)?.seq ?? last
  }
  return waiting
}
