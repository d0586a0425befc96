import { fromBase64, sameBytes, toBase64 } from '../../contract/bytes.ts'
import type { ArchiveKey, RoomGroup } from '../../contract/rooms.ts'
import { openArchiveKey, sealArchiveKey } from './archive.ts'
import type { Place } from './enter.ts'
import { CryptoFailure } from './failure.ts'
import { groupInfoMembers } from './joining.ts'
import type { Live } from './live.ts'
import { archiveKeyOf } from './message.ts'
import { epochOf, type Group, groupIdOf, groupInfoOf, members } from './mls.ts'
import { pairOf } from './peers.ts'
import { withRoom } from './room.ts'

/** What a foreign committer left out or got wrong; null where all is in place. */
export interface Repairs {
  groupInfo: string | null
  archiveKey: ArchiveKey | null
}

/**
 * Looks at what somebody else's commit left on the server: the GroupInfo must show this very group [Note: R2],
 * and this account's archive key must open to the epoch's key [Note: H1]. Returns what to put in their place.
 */
export function auditCommit(live: Live, input: Place & { group: RoomGroup; keys: ArchiveKey[] }): Promise<Repairs> {
  const { chatRoomId, peerId, group: served, keys } = input
  return withRoom(live, chatRoomId, peerId, async ({ group }) => {
    if (!group || served.groupId !== toBase64(groupIdOf(group)) || served.epoch !== epochOf(group))
      return { groupInfo: null, archiveKey: null }
    const { self } = await pairOf(live, peerId)
    const archiveKey = await archiveKeyOf(group)
    const place = { groupId: served.groupId, epoch: served.epoch }
    return {
      groupInfo: (await shows(served.groupInfo, group)) ? null : toBase64(await groupInfoOf(group)),
      archiveKey: (await anyOpens(live, keys, archiveKey))
        ? null
        : ((await sealArchiveKey(live.userId, self, place, archiveKey)) ?? null),
    }
  })
}

async function shows(groupInfo: string | null, group: Group): Promise<boolean> {
  if (!groupInfo) return false
  try {
    const shown = await groupInfoMembers(fromBase64(groupInfo))
    const leaves = new Set(shown.members.map(({ leafKey }) => toBase64(leafKey)))
    const isSame = members(group).every(({ leafKey }) => leaves.has(toBase64(leafKey))) && leaves.size === members(group).length
    return isSame && shown.epoch === epochOf(group) && sameBytes(shown.groupId, groupIdOf(group))
  } catch (error) {
    if (error instanceof CryptoFailure) return false
    throw error
  }
}

async function anyOpens(live: Live, keys: ArchiveKey[], archiveKey: Uint8Array): Promise<boolean> {
  const opened = await Promise.all(keys.map((key) => openArchiveKey(live, key)))
  return opened.some((key) => key && sameBytes(key, archiveKey))
}
