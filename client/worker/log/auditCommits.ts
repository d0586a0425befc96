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

/** Repairs of what the commits of other devices left out or got wrong. */
export interface Repairs {
  /** The right GroupInfo of the current epoch; null if the server has it. */
  groupInfo: string | null
  archiveKeys: ArchiveKey[]
}

/**
 * Checks what other devices' commits stored on the server: the GroupInfo must show this very group [Note: R2], and this account's
 * archive key of each epoch must open to the epoch's key [Note: H1]. Returns the repairs to upload.
 */
export function auditCommits(
  live: Live,
  input: Place & { group: RoomGroup; epochs: EpochName[]; keys: ArchiveKey[] },
): Promise<Repairs> {
  const { chatRoomId, peerIds, group: served, epochs, keys } = input
  return withRoom(live, chatRoomId, peerIds, async ({ group, accounts }) => {
    // Of a chat with a password the keys stand in pages that only the chat's own seed opens.
    const paged = await pagedEpochs(live, chatRoomId)
    // A key sealed under an older history key counts as missing: a removed device has that history key [Note: H2].
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

/** Notes that the server has the repairs of these epochs. */
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
    // What cannot be read shows nobody the room's group.
    if (error instanceof CryptoFailure) return false
    throw error
  }
}

async function anyOpens(live: Live, keys: ArchiveKey[], archiveKey: Uint8Array): Promise<boolean> {
  const opened = await Promise.all(keys.map((key) => openArchiveKey(live, key)))
  return opened.some((key) => key && sameBytes(key, archiveKey))
}

/** True if two GroupInfos describe the same group state: epoch, tree, external key, confirmation tag. Their signers may differ. */
function showsSame(one: Uint8Array, other: Uint8Array): boolean {
  const { groupInfo } = decode(one, 'mls_group_info')
  const { signer, signature } = decode(other, 'mls_group_info').groupInfo
  return sameBytes(encode({ wireformat: 'mls_group_info', groupInfo: { ...groupInfo, signer, signature } }), other)
}
