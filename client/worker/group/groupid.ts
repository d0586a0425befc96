import { type Bytes, concat, sameBytes } from '../../../contract/ground/bytes.ts'
import { sha256 } from '../primitives/seal.ts'

const RANDOM_BYTES = 16

/**
 * 48 bytes: 16 random ones, then SHA-256 over these, room, generation and account keys, so that no room's group passes as
 * another's [Note: R1].
 */
export function roomGroupId(random: Uint8Array, chatRoomId: string, generation: number, accountKeys: Uint8Array[]): Bytes {
  const sorted = [...accountKeys].sort(inBytewiseOrder)
  return concat(random, sha256('conclave/group/v1', random, chatRoomId, String(generation), ...sorted))
}

/** Recomputes the hash [Note: R1]. */
export function groupIdHolds(groupId: Uint8Array, chatRoomId: string, generation: number, accountKeys: Uint8Array[]): boolean {
  const random = groupId.subarray(0, RANDOM_BYTES)
  return random.length === RANDOM_BYTES && sameBytes(groupId, roomGroupId(random, chatRoomId, generation, accountKeys))
}

/** A prefix sorts before the longer array. */
function inBytewiseOrder(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index])
  return at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}
