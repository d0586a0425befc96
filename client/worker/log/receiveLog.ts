import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import type { CommitEntry, LogEntry } from '../../../contract/chat/rooms.ts'
import { unansweredForks, withLists } from '../group/forks.ts'
import { everyAccount } from '../group/members.ts'
import { namesOf } from '../group/namedLists.ts'
import { type OpenRoom, type Place, storeRoom, withRoom } from '../group/roomState.ts'
import { groupPlace, withMembers } from '../group/signers.ts'
import type { Live } from '../keys/live.ts'
import { copiedWrite } from '../lists/copiedDevice.ts'
import { noteGeneration } from '../lists/generations.ts'
import { arePeersKnown, type ShownPeer } from '../lists/peerStanding.ts'
import { takeActs } from '../messages/acts.ts'
import { type NewerVersions, newerVersions, noVersions } from '../messages/namedVersions.ts'
import { withOutbox } from '../messages/outbox.ts'
import { dropDeleted, NOTHING_TAKEN, type TakenActs, withActs } from '../messages/takenActs.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { StoredMessage } from '../vault/storedMessage.ts'
import type { EpochName, Fork, RoomRecord } from '../vault/storedRoom.ts'
import type { CatchUp, Route } from './catchUp.ts'
import { isOwnCommit, takeCommit } from './logcommit.ts'
import { takeMessage } from './logmessage.ts'
import { reopenNewer } from './unopenedMessages.ts'
import { explained, takeWithheld } from './withheldPlace.ts'

const SHOWN_MAX = 50

/** By user id. */
type Versions = Record<string, number>

export interface LogOutcome extends NewerVersions {
  after: number
  cursor: number
  /** Null if more than a page, or if older messages opened or changed: read the vault. */
  opened: StoredMessage[] | null
  isJoined: boolean
  /** True if members' keys are missing: nothing was processed. */
  needsPeers: boolean
  /** Device lists to fetch, by user id. */
  unknownLists: Versions
  /** The version of the own device list; 0 in a new room. */
  ownList: number
  /** Undecided forks [Note: D2]. */
  forks: Fork[]
  /** True if this browser's data was copied [Note: V2]. */
  isCopied: boolean
  /** The vault is complete from here to the cursor. */
  from: number
  /** True if the current group must be entered first. */
  mustEnter: boolean
  hasGap: boolean
  /** Epochs with waiting messages. */
  missing: EpochName[]
  unaudited: EpochName[]
}

const UNKNOWN_ROOM: LogOutcome = {
  needsPeers: false,
  unknownLists: {},
  ownList: 0,
  forks: [],
  isCopied: false,
  after: 0,
  cursor: 0,
  opened: null,
  isJoined: false,
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
 * Processes the log's next entries [Note: commit, then show]. `asked`: list versions already requested. `peers`: stops at missing
 * keys, because verification is final.
 */
export function receiveLog(
  live: Live,
  input: Place & { entries: LogEntry[]; now: number; asked?: Versions; peers?: ShownPeer[]; route?: Route | null },
): Promise<LogOutcome> {
  const { chatRoomId, peerIds, entries, now, asked = {}, peers = [], route } = input
  return withRoom(live, chatRoomId, peerIds, async (room) => {
    if (!(await arePeersKnown(live, peers))) return { ...UNKNOWN_ROOM, needsPeers: true }
    if (!room.record) return UNKNOWN_ROOM
    const { accounts } = room
    const known = withPlace(room.record, room)
    const record = withLists(await reopenNewer({ live, chatRoomId, accounts, record: known }, known), accounts, [])
    const at = catchUpFrom({ live, chatRoomId, now, route: route ?? undefined }, room, record)
    const { mustEnter, hasGap, unknownLists } = await takeEntries(at, entries, asked)
    const taken = at.record.cursor > room.record.cursor || record !== known ? await store(at, room.record) : NOTHING_TAKEN
    const { cursor, from, waiting, unaudited } = at.record
    const missing = waiting.map(({ groupId, epoch }) => ({ groupId, epoch }))
    const ownList = at.accounts.own.version
    const newer = await newerVersions(live, at.named)
    const isShort = record === known && taken.changed.length === 0 && !taken.roomChange && taken.entries.length <= SHOWN_MAX
    const opened = isShort ? await explained(live, foldEntries(taken.entries)) : null
    return {
      needsPeers: false,
      after: known.cursor,
      cursor,
      opened,
      isJoined: at.record.standing === 'joined',
      from,
      mustEnter,
      hasGap,
      unknownLists,
      ...newer,
      missing,
      unaudited,
      ownList,
      isCopied: at.isCopied,
      forks: unansweredForks(at.record),
    }
  })
}

/** Completes an older build's record [Note: H3]. */
function withPlace(record: RoomRecord, { group, accounts }: OpenRoom): RoomRecord {
  const { generation, groupId, cursor } = record
  if (record.log || !groupId) return record
  const log = group ? groupPlace(generation, group) : { generation, groupId }
  return group ? withMembers({ ...record, log }, accounts, cursor, group) : { ...record, log }
}

const catchUpFrom = (
  start: Pick<CatchUp, 'live' | 'chatRoomId' | 'now' | 'route'>,
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

/** Stops at a gap or an unknown device list. */
async function takeEntries(at: CatchUp, entries: LogEntry[], asked: Versions): Promise<Stop> {
  for (const entry of entries) {
    if (entry.chatRoomId !== at.chatRoomId) throw new CryptoFailure('place', 'The server returned entries of another chat')
    if (entry.seq <= at.record.cursor) continue
    if (entry.seq !== at.record.cursor + 1) return { ...NO_STOP, hasGap: true }
    const isNewGroup = entry.kind === 'commit' && entry.generation > at.record.generation
    if (isNewGroup && !(await isOwnCommit(at, entry))) return { ...NO_STOP, mustEnter: true }
    const unknownLists = entry.kind === 'commit' ? unknownIn(at, entry, asked) : {}
    // [Note: D2] The lists decide who may change the room.
    if (Object.keys(unknownLists).length > 0) return { ...NO_STOP, unknownLists }
    if (entry.kind === 'commit') await takeCommit(at, entry)
    else if (entry.kind === 'withheld') await takeWithheld(at, entry)
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
): Promise<TakenActs> {
  const taken = await takeActs(live, { ...record, chatRoomId }, messages)
  if (record.standing === 'joined' && record.generation > before.generation)
    await noteGeneration(live, chatRoomId, record.generation)
  if (isCopied) writes.push(copiedWrite(new Date()))
  const write = () => storeRoom(live, chatRoomId, { record: withActs(record, taken), group }, [...taken.writes, ...writes])
  await (hasSettled ? withOutbox(live, chatRoomId, write) : write())
  await dropDeleted(live, chatRoomId, taken)
  return taken
}
