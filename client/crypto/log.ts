import type { CommitEntry, LogEntry } from '../../contract/rooms.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { messageWrites } from '../vault/messages.ts'
import type { EpochName, RoomRecord } from '../vault/rooms.ts'
import { namesOf } from './carried.ts'
import type { CatchUp } from './catchup.ts'
import { copiedWrite } from './copied.ts'
import { noteGeneration } from './generations.ts'
import type { Live } from './live.ts'
import { isOwnCommit, takeCommit } from './logcommit.ts'
import { takeMessage } from './logmessage.ts'
import { withOutbox } from './outbox.ts'
import { everyAccount } from './peers.ts'
import { type OpenRoom, type Place, storeRoom, withRoom } from './room.ts'
import { groupPlace, withMembers } from './signers.ts'
import { type NewerVersions, newerVersions, noVersions } from './versions.ts'
import { reopenNewer } from './waiting.ts'

/** Versions of device lists by user id. */
type Versions = Record<string, number>

export interface LogOutcome extends NewerVersions {
  cursor: number
  /** By user id: device lists that the next commit names and this device does not have. Ask for them, then go on from there. */
  unknownLists: Versions
  /** The newest version of the own device list here: a commit may have brought it. 0 in a room that is new here. */
  ownList: number
  /** Another browser goes on with a copy of this one's data [Note: V2]. */
  isCopied: boolean
  /** Every message from here to the cursor is in the vault. */
  from: number
  /** The log restarts with a new group, or the room is new here: ask for the group and enter, then go on. */
  mustEnter: boolean
  /** Entries are missing between the cursor and what was given. */
  hasGap: boolean
  /** Epochs whose archive key messages wait for. */
  missing: EpochName[]
  /** Epochs that somebody else's commits started: their archive keys and the GroupInfo are worth a look. */
  unaudited: EpochName[]
}

const UNKNOWN_ROOM: LogOutcome = {
  unknownLists: {},
  ownList: 0,
  isCopied: false,
  cursor: 0,
  from: 0,
  mustEnter: true,
  hasGap: false,
  newerManifests: {},
  ownManifest: 0,
  ownBook: 0,
  missing: [],
  unaudited: [],
}

/**
 * Takes the next entries of a room's log, in order. State, text and cursor are stored in one transaction, then
 * the caller shows what the vault holds [Note: commit, then show]. Entries at or below the cursor are skipped. `asked`: versions of
 * device lists, by user id, that the server was asked for: what it does not have holds nothing up.
 */
export function receiveLog(
  live: Live,
  input: Place & { entries: LogEntry[]; now: number; asked?: Versions },
): Promise<LogOutcome> {
  const { chatRoomId, peerIds, entries, now, asked = {} } = input
  return withRoom(live, chatRoomId, peerIds, async (room) => {
    if (!room.record) return UNKNOWN_ROOM
    const { accounts } = room
    const known = withPlace(room.record, room)
    const record = await reopenNewer({ live, chatRoomId, accounts, record: known }, known)
    const at = catchUpFrom({ live, chatRoomId, now }, room, record)
    const { mustEnter, hasGap, unknownLists } = await takeEntries(at, entries, asked)
    if (at.record.cursor > room.record.cursor || record !== known) await store(at, room.record)
    const { cursor, from, waiting, unaudited } = at.record
    const missing = waiting.map(({ groupId, epoch }) => ({ groupId, epoch }))
    const ownList = at.accounts.own.version
    const newer = await newerVersions(live, at.named)
    return { cursor, from, mustEnter, hasGap, unknownLists, ...newer, missing, unaudited, ownList, isCopied: at.isCopied }
  })
}

/** A record of before does not say where its log stands, nor which devices its group left behind [Note: H3]. */
function withPlace(record: RoomRecord, { group, accounts }: OpenRoom): RoomRecord {
  const { generation, groupId, cursor } = record
  if (record.log || !groupId) return record
  const log = group ? groupPlace(generation, group) : { generation, groupId }
  return group ? withMembers({ ...record, log }, accounts, cursor, group) : { ...record, log }
}

const catchUpFrom = (
  start: Pick<CatchUp, 'live' | 'chatRoomId' | 'now'>,
  { group, accounts }: OpenRoom,
  record: RoomRecord,
): CatchUp => ({
  ...start,
  accounts,
  record: { ...record },
  group,
  messages: [],
  writes: [],
  hasSettled: false,
  isCopied: false,
  named: noVersions(),
})

type Stop = Pick<LogOutcome, 'mustEnter' | 'hasGap' | 'unknownLists'>
const NO_STOP: Stop = { mustEnter: false, hasGap: false, unknownLists: {} }

/** Takes the entries as far as they follow one another, and as this device knows the device lists that commits name. */
async function takeEntries(at: CatchUp, entries: LogEntry[], asked: Versions): Promise<Stop> {
  for (const entry of entries) {
    if (entry.chatRoomId !== at.chatRoomId) throw new CryptoFailure('place', 'The server returned entries of another room')
    if (entry.seq <= at.record.cursor) continue
    if (entry.seq !== at.record.cursor + 1) return { ...NO_STOP, hasGap: true }
    const isNewGroup = entry.kind === 'commit' && entry.generation > at.record.generation
    if (isNewGroup && !(await isOwnCommit(at, entry))) return { ...NO_STOP, mustEnter: true }
    const unknownLists = entry.kind === 'commit' ? unknownIn(at, entry, asked) : {}
    // [Note: D2] Whose devices may change the room, and whose word counts behind this commit, those lists say.
    if (Object.keys(unknownLists).length > 0) return { ...NO_STOP, unknownLists }
    if (entry.kind === 'commit') await takeCommit(at, entry)
    else await takeMessage(at, entry)
    at.record.cursor = entry.seq
  }
  return NO_STOP
}

function unknownIn({ accounts }: CatchUp, entry: CommitEntry, asked: Versions): Versions {
  const newer = namesOf(entry).filter(({ userId, version, signed }) => {
    const known = everyAccount(accounts).find((account) => account.userId === userId)
    return !signed && known && version > Math.max(known.version, asked[userId] ?? 0)
  })
  return Object.fromEntries(newer.map(({ userId, version }) => [userId, version]))
}

async function store(
  { live, chatRoomId, record, group, messages, writes, hasSettled, isCopied }: CatchUp,
  before: RoomRecord,
): Promise<void> {
  if (record.standing === 'joined' && record.generation > before.generation)
    await noteGeneration(live, chatRoomId, record.generation)
  if (isCopied) writes.push(copiedWrite(new Date()))
  const write = () => storeRoom(live, chatRoomId, { record, group }, [...messages.flatMap(messageWrites), ...writes])
  await (hasSettled ? withOutbox(live, chatRoomId, write) : write())
}
