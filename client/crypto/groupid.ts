import { type Bytes, concat, sameBytes } from '../../contract/bytes.ts'
import { sha256 } from '../primitives/seal.ts'

const RANDOM_BYTES = 16

/**
 * A room's MLS group id, 48 bytes [Note: R1]: 16 random bytes, then a hash that ties them to room, generation and both account
 * keys, so that nobody can pass one room's group off as another's.
 */
export function roomGroupId(
  random: Uint8Array,
  chatRoomId: string,
  generation: number,
  oneAccount: Uint8Array,
  otherAccount: Uint8Array,
): Bytes {
  const [first, second] = isBefore(oneAccount, otherAccount) ? [oneAccount, otherAccount] : [otherAccount, oneAccount]
  return concat(random, sha256('conclave/group/v1', random, chatRoomId, String(generation), first, second))
}

/** Whether a group id is the one of this room, generation and pair of accounts. */
export function groupIdHolds(
  groupId: Uint8Array,
  chatRoomId: string,
  generation: number,
  oneAccount: Uint8Array,
  otherAccount: Uint8Array,
): boolean {
  const random = groupId.subarray(0, RANDOM_BYTES)
  return (
    random.length === RANDOM_BYTES && sameBytes(groupId, roomGroupId(random, chatRoomId, generation, oneAccount, otherAccount))
  )
}

/** Bytewise order; a shorter array that begins another comes first. */
function isBefore(one: Uint8Array, other: Uint8Array): boolean {
  const at = one.findIndex((byte, index) => byte !== other[index])
  if (at === -1) return one.length <= other.length
  return (one[at] ?? 0) < (other[at] ?? -1)
}
