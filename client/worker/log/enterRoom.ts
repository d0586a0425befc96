import type { LogEntry, RoomGroup } from '../../../contract/chat/rooms.ts'
import { fromBase64, sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { withLists } from '../group/forks.ts'
import { groupIdHolds } from '../group/groupid.ts'
import { pathMade } from '../group/healGroup.ts'
import { creationData, joinByWelcome, welcomedRefs } from '../group/joining.ts'
import { keyPackageHeld, keyPackageSpent } from '../group/keypackages.ts'
import { accountKeysOf, everyAccount, type MemberAccounts } from '../group/members.ts'
import { epochOf, type Group, groupIdOf, members } from '../group/mls.ts'
import { listsOf, namesIn } from '../group/namedLists.ts'
import { pendingSettled } from '../group/pending.ts'
import { type Place, storeRoom, withRoom } from '../group/roomState.ts'
import { groupPlace, withMembers } from '../group/signers.ts'
import type { Live } from '../keys/live.ts'
import { noteGeneration, requireGeneration } from '../lists/generations.ts'
import { derivedKeyWrite } from '../messages/archive.ts'
import { archiveKeyOf } from '../messages/sealedMessage.ts'
import { AT_THE_BEGINNING, withCommit } from '../messages/transcript.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { messageWrites } from '../vault/storedMessage.ts'
import type { NamedList, RoomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'
import { restartNotice } from './catchUp.ts'

const WELCOMED_MAX = 100

export type Entered = Pick<RoomRecord, 'standing' | 'cursor' | 'from'> & {
  /** The seq of the commit that came with this device's Welcome. */
  asksCommitAt?: number
}

/** Joins by a Welcome with its commit [Note: D2], or reads by the archive. Refuses a generation below a known one [Note: R4]. */
export function enterRoom(
  live: Live,
  { chatRoomId, peerIds, group: served, now, creation }: Place & { group: RoomGroup; now: number; creation?: LogEntry | null },
): Promise<Entered> {
  return withRoom(live, chatRoomId, peerIds, async ({ record, group, accounts }) => {
    await requireGeneration(live, chatRoomId, served.generation)
    if (record && group && record.generation >= served.generation) return record
    const welcomed = await welcomedBy(live, chatRoomId, served, accounts, record)
    const { cursor, from } = record ?? newRecord(served)
    if (welcomed && served.welcome && creation === undefined)
      return { standing: 'outside', cursor, from, asksCommitAt: served.welcome.seq }
    const lists = welcomed && (await listsOfCreation(welcomed.group, accounts, creation ?? null))
    if (!welcomed || !lists || !served.welcome) {
      const isMoved = record?.groupId !== served.groupId
      const { generation, groupId } = served
      const outside: RoomRecord = { ...(record ?? newRecord(served)), standing: 'outside', generation, groupId }
      if (isMoved) outside.epoch = 0
      await storeRoom(live, chatRoomId, { record: outside, group: undefined }, isMoved ? [pendingSettled(chatRoomId)] : [])
      return outside
    }
    const { seq } = served.welcome
    const place = { groupId: toBase64(groupIdOf(welcomed.group)), epoch: epochOf(welcomed.group) }
    const joined: RoomRecord = {
      ...(record ?? newRecord(served)),
      ...place,
      generation: served.generation,
      standing: 'joined',
      cursor: seq,
      from: record?.from ?? seq,
      transcript: withCommit(record?.transcript, seq),
      ...pathMade(now, seq),
      isHealed: false,
      unaudited: [place],
      log: groupPlace(served.generation, welcomed.group),
    }
    await noteGeneration(live, chatRoomId, served.generation)
    const known = withLists(withMembers(joined, accounts, seq, welcomed.group), accounts, lists)
    await storeRoom(live, chatRoomId, { record: known, group: welcomed.group }, [
      ...welcomed.writes,
      pendingSettled(chatRoomId),
      derivedKeyWrite(chatRoomId, place, await archiveKeyOf(welcomed.group)),
      ...(record && record.generation > 0 ? messageWrites(restartNotice(chatRoomId, seq, new Date().toISOString())) : []),
    ])
    return known
  })
}

/** Returns the record of a room outside its group. */
export const newRecord = ({
  generation,
  groupId,
  epoch,
  lastSeq,
}: Pick<RoomGroup, 'generation' | 'groupId' | 'epoch' | 'lastSeq'>): RoomRecord => ({
  generation,
  groupId,
  ...(groupId && { log: { generation, groupId, epoch } }),
  standing: 'outside',
  epoch: 0,
  cursor: lastSeq,
  from: lastSeq + 1,
  ...(lastSeq === 0 && { transcript: AT_THE_BEGINNING }),
  lastCommitAt: new Date(0).toISOString(),
  ownMessages: 0,
  isHealed: true,
  waiting: [],
  unaudited: [],
})

/** Takes the next epoch only: an older Welcome would roll back. Skips invalid Welcomes [Note: R5]. */
async function welcomedBy(
  live: Live,
  chatRoomId: string,
  served: RoomGroup,
  accounts: MemberAccounts,
  record: RoomRecord | undefined,
): Promise<{ group: Group; writes: Write[] } | undefined> {
  const isNext = record ? served.welcome?.seq === record.cursor + 1 : (served.welcome?.seq ?? 0) <= served.lastSeq
  if (!served.welcome || !isNext) return undefined
  const welcome = fromBase64(served.welcome.welcome)
  try {
    for (const reference of (await welcomedRefs(welcome)).slice(0, WELCOMED_MAX)) {
      const held = await keyPackageHeld(live, reference)
      if (!held) continue
      const group = await joinByWelcome({
        welcome,
        keyPackage: held.keyPackage,
        secret: held.secret,
        accounts: accountKeysOf(accounts),
      })
      checkPlace(chatRoomId, served, groupIdOf(group), accounts)
      return { group, writes: held.isLastResort ? [] : [keyPackageSpent(reference)] }
    }
  } catch (error) {
    // An external commit stays possible.
    if (!(error instanceof CryptoFailure)) throw error
  }
  return undefined
}

async function listsOfCreation(
  group: Group,
  accounts: MemberAccounts,
  creation: LogEntry | null,
): Promise<NamedList[] | undefined> {
  if (creation?.kind !== 'commit') return undefined
  try {
    const names = namesIn((await creationData(group, fromBase64(creation.commit))) ?? new Uint8Array())
    // The creator has the first leaf.
    const creator = members(group).find(({ leafIndex }) => leafIndex === 0)
    const by = everyAccount(accounts).find(({ identityKey }) => creator && sameBytes(identityKey, creator.accountKey))
    return listsOf(accounts, names, by?.userId)
  } catch (error) {
    // An external commit stays possible.
    if (error instanceof CryptoFailure) return undefined
    throw error
  }
}

/** Throws CryptoFailure for a wrong room, generation or account set [Note: R1]. */
export function checkPlace(chatRoomId: string, served: RoomGroup, groupId: Uint8Array, accounts: MemberAccounts): void {
  const holds = groupIdHolds(groupId, chatRoomId, served.generation, accountKeysOf(accounts))
  if (!holds || toBase64(groupId) !== served.groupId)
    throw new CryptoFailure('group_id', 'The server returned the state of another chat')
}
