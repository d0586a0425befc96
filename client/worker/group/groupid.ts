import { type Bytes, concat, sameBytes } from '../../../contract/ground/bytes.ts'
import { sha256 } from '../primitives/seal.ts'

const RANDOM_BYTES = 16

/**
 * A room's MLS group id, 48 bytes [Note: R1]: 16 random bytes, then a hash that ties them to room, generation and the account
 * keys of all members, so that one room's group cannot pass as another's.
 */
export function roomGroupId(random: Uint8Array, chatRoomId: string, generation: number, accountKeys: Uint8Array[]): Bytes {
  const sorted = [...accountKeys].sort(inBytewiseOrder)
  return concat(random, sha256('conclave/group/v1', random, chatRoomId, String(generation), ...sorted))
}

/** True if the group id was made for this room, generation and set of accounts. */
export function groupIdHolds(groupId: Uint8Array, chatRoomId: string, generation: number, accountKeys: Uint8Array[]): boolean {
  const random = groupId.subarray(0, RANDOM_BYTES)
  return random.length === RANDOM_BYTES && sameBytes(groupId, roomGroupId(random, chatRoomId, generation, accountKeys))
}

/** Compares byte by byte; a prefix sorts before the longer array. */
function inBytewiseOrder(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index])
  return at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}
