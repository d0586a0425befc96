import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import type { RoomGroup } from '../../contract/rooms.ts'
import { generationOf } from './book.ts'
import { CryptoFailure } from './failure.ts'
import { groupIdHolds } from './groupid.ts'
import { joinByWelcome, welcomeIsFor } from './joining.ts'
import { keyPackagesHeld } from './keypackages.ts'
import type { Live } from './live.ts'
import { type Group, groupIdOf } from './mls.ts'
import { type Peer, pairOf } from './peers.ts'
import { messageWrite, type RoomRecord, roomWrites, withRoom } from './room.ts'
import type { Write } from './vault.ts'

export interface Place {
  chatRoomId: string
  peerId: string
}

/**
 * Takes the room's group from the server for reading. With a Welcome for this device it joins, else it stays
 * outside and reads by the archive. Refuses a generation lower than any that this account has seen [Note: R4].
 */
export function enterRoom(
  live: Live,
  { chatRoomId, peerId, group: served }: Place & { group: RoomGroup },
): Promise<RoomRecord['standing']> {
  return withRoom(live, chatRoomId, peerId, async ({ record }) => {
    const seen = Math.max(await generationOf(live, chatRoomId), record?.generation ?? 0)
    if (served.generation < seen)
      throw new CryptoFailure('generation_rollback', 'The server returned an older state of this room than before')
    const base: RoomRecord = record ?? newRecord(served)
    const welcomed = served.welcome && served.groupId ? await byWelcome(live, { chatRoomId, peerId, served }) : undefined
    if (!welcomed || !served.welcome) {
      const outside: RoomRecord = { ...base, standing: 'outside', generation: served.generation, groupId: served.groupId }
      await live.vault.write(roomWrites(chatRoomId, outside, undefined))
      return 'outside'
    }
    const { seq } = served.welcome
    const follows = record !== undefined && record.cursor >= seq - 1
    const joined: RoomRecord = {
      generation: served.generation,
      groupId: served.groupId,
      standing: 'joined',
      cursor: seq,
      from: follows ? record.from : seq,
      runningHash: '',
      lastCommitAt: new Date(0).toISOString(),
      ownMessages: 0,
      isHealed: true,
    }
    const writes: Write[] = [...welcomed.writes, ...roomWrites(chatRoomId, joined, welcomed.group)]
    if (record && record.generation > 0) writes.push(restartNotice(chatRoomId, seq))
    await live.vault.write(writes)
    return 'joined'
  })
}

/** A device that reads by the archive, from where the log stands now. */
export const newRecord = (served: RoomGroup): RoomRecord => ({
  generation: served.generation,
  groupId: served.groupId,
  standing: 'outside',
  cursor: served.lastSeq,
  from: served.lastSeq + 1,
  runningHash: '',
  lastCommitAt: new Date(0).toISOString(),
  ownMessages: 0,
  isHealed: true,
})

const restartNotice = (chatRoomId: string, seq: number): Write =>
  messageWrite({
    id: `restart-${seq}`,
    chatRoomId,
    seq,
    senderId: '',
    at: new Date().toISOString(),
    body: { kind: 'notice', text: 'Encryption restarted' },
  })

async function byWelcome(
  live: Live,
  { chatRoomId, peerId, served }: Place & { served: RoomGroup },
): Promise<{ group: Group; writes: Write[] } | undefined> {
  if (!served.welcome || !served.groupId) return undefined
  const welcome = fromBase64(served.welcome.welcome)
  const { self, peer } = await pairOf(live, peerId)
  for (const held of await keyPackagesHeld(live)) {
    if (!(await welcomeIsFor(welcome, held.keyPackage))) continue
    const accounts: [Uint8Array, Uint8Array] = [self.identityKey, peer.identityKey]
    const group = await joinByWelcome({ welcome, keyPackage: held.keyPackage, secret: held.secret, accounts })
    checkPlace(chatRoomId, served, groupIdOf(group), self, peer)
    return { group, writes: held.isLastResort ? [] : [{ store: 'sealed', key: held.row, value: null }] }
  }
  return undefined
}

/** A group belongs to this room, generation and pair of accounts, or it is refused [Note: R1]. */
export function checkPlace(chatRoomId: string, served: RoomGroup, groupId: Uint8Array, self: Peer, peer: Peer): void {
  const holds = groupIdHolds(groupId, chatRoomId, served.generation, self.identityKey, peer.identityKey)
  if (!holds || toBase64(groupId) !== served.groupId)
    throw new CryptoFailure('group_id', 'The server returned the state of another room')
}
