import type { ArchiveKey, RoomGroup } from '../../../contract/chat/rooms.ts'
import { fromBase64, sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { epochName, pagedEpochs } from '../chatlocks/readPages.ts'
import { groupInfoMembers } from '../group/joining.ts'
import { epochOf, type Group, groupIdOf, groupInfoOf } from '../group/mls.ts'
import { type Place, withRoom } from '../group/roomState.ts'
import { decode, encode } from '../group/suite.ts'
import type { Live } from '../keys/live.ts'
import { archiveKeyHeld, openArchiveKey, sealArchiveKey } from '../messages/archive.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type EpochName, recordWrite } from '../vault/storedRoom.ts'

export interface Repairs {
  /** Null if the server has it. */
  groupInfo: string | null
  archiveKeys: ArchiveKey[]
}

/** Audits stored GroupInfos [Note: R2] and archive keys [Note: H1]. Returns the repairs to upload. */
export function auditCommits(
  live: Live,
  input: Place & { group: RoomGroup; epochs: EpochName[]; keys: ArchiveKey[] },
): Promise<Repairs> {
  const { chatRoomId, peerIds, group: served, epochs, keys } = input
  return withRoom(live, chatRoomId, peerIds, async ({ group, accounts }) => {
    // The pages of a room with a password need its own seed.
    const paged = await pagedEpochs(live, chatRoomId)
    // [Note: H2] A removed device has the older history keys.
    const { historyKeyId } = accounts.own.manifest
    const isHere = group && served.groupId === toBase64(groupIdOf(group)) && served.epoch === epochOf(group)
    const archiveKeys: (ArchiveKey | undefined)[] = await Promise.all(
      epochs.map(async (place) => {
        const archiveKey = await archiveKeyHeld(live, place)
        const sealed = keys.filter(
          (key) => key.groupId === place.groupId && key.epoch === place.epoch && key.historyKeyId === historyKeyId,
        )
        const isKept = !archiveKey || paged.has(epochName(place)) || (await anyOpens(live, sealed, archiveKey))
        return isKept ? undefined : await sealArchiveKey(accounts.own, place, archiveKey)
      }),
    )
    return {
      groupInfo: isHere && !(await shows(served.groupInfo, group)) ? toBase64(await groupInfoOf(group)) : null,
      archiveKeys: archiveKeys.filter((key) => key !== undefined),
    }
  })
}

/** Notes that the server has these epochs' repairs. */
export function auditDone(live: Live, { chatRoomId, peerIds, epochs }: Place & { epochs: EpochName[] }): Promise<void> {
  return withRoom(live, chatRoomId, peerIds, async ({ record }) => {
    if (!record) return
    const isDone = (one: EpochName) => epochs.some(({ groupId, epoch }) => groupId === one.groupId && epoch === one.epoch)
    const unaudited = record.unaudited.filter((one) => !isDone(one))
    await live.vault.write([recordWrite(chatRoomId, { ...record, unaudited })])
  })
}

async function shows(groupInfo: string | null, group: Group): Promise<boolean> {
  if (!groupInfo) return false
  try {
    const bytes = fromBase64(groupInfo)
    await groupInfoMembers(bytes)
    return showsSame(bytes, await groupInfoOf(group))
  } catch (error) {
    if (error instanceof CryptoFailure) return false
    throw error
  }
}

async function anyOpens(live: Live, keys: ArchiveKey[], archiveKey: Uint8Array): Promise<boolean> {
  const opened = await Promise.all(keys.map((key) => openArchiveKey(live, key)))
  return opened.some((key) => key && sameBytes(key, archiveKey))
}

/** Ignores the signers, which may differ. */
function showsSame(one: Uint8Array, other: Uint8Array): boolean {
  const { groupInfo } = decode(one, 'mls_group_info')
  const { signer, signature } = decode(other, 'mls_group_info').groupInfo
  return sameBytes(encode({ wireformat: 'mls_group_info', groupInfo: { ...groupInfo, signer, signature } }), other)
}
