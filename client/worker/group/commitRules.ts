import { sameBytes } from '../../../contract/ground/bytes.ts'
import type { Bytes32 } from '../primitives/sizes.ts'

/** `leafIndex` is valid in one epoch only. */
export interface Leaf {
  leafIndex: number
  accountKey: Bytes32
  /** 16 bytes in hex. */
  deviceId: string
  leafKey: Bytes32
}

/** The newest manifests. `leafKey` must match too. */
export interface CommitRules {
  isListed(accountKey: Uint8Array, deviceId: string, leafKey: Uint8Array): boolean
}

/** A decoded commit. A leaf with an invalid credential is undefined. */
export interface Change {
  isExternal: boolean
  /** The leaf that signed; for an external commit, the leaf that joins. */
  committer: Leaf | undefined
  /** The committer's new leaf; 'absent' without a path. */
  path: Leaf | 'absent' | undefined
  adds: (Leaf | undefined)[]
  /** Leaf indices. */
  removes: number[]
  externalInits: number
  /** Other kinds, and proposals by reference. */
  others: string[]
}

/** Returns why R3 forbids the commit, or undefined [Note: R3]. `members`: before the commit. `accounts`: pinned keys. */
export function refusalOf(
  change: Change,
  members: Leaf[],
  accounts: readonly Uint8Array[],
  rules: CommitRules,
): string | undefined {
  const { committer, removes, adds } = change
  if (change.others.length > 0) return `It holds a proposal that is not allowed: ${change.others[0]}`
  if (!committer || !accounts.some((account) => sameBytes(account, committer.accountKey)))
    return 'Its author does not belong here'
  const isListed = (member: Leaf) => rules.isListed(member.accountKey, member.deviceId, member.leafKey)
  const targets = removes.map((leafIndex) => members.find((member) => member.leafIndex === leafIndex))
  const staying = members.filter((member) => !removes.includes(member.leafIndex))
  const incoming = change.isExternal ? [...adds, committer] : adds

  if (change.isExternal) {
    if (change.externalInits !== 1 || adds.length > 0 || removes.length > 1)
      return 'A device that comes in changes more than its own place'
  } else {
    if (change.externalInits > 0) return 'A member pretends to come in from outside'
    if (change.path === 'absent' && (adds.length === 0 || removes.length > 0)) return 'It does not renew its keys'
    if (change.path !== 'absent' && !isSameDevice(change.path, committer)) return 'Its author changes identity'
    const changesMembers = adds.length + removes.length > 0
    if (changesMembers && !isListed(committer)) return 'Its author is a removed device'
  }
  for (const target of targets) {
    if (!target || new Set(removes).size !== removes.length) return 'It removes nobody'
    const isOwn = sameBytes(target.accountKey, committer.accountKey)
    if (!isOwn && (change.isExternal || isListed(target))) return 'It removes somebody else’s device'
  }
  for (const [at, added] of incoming.entries()) {
    if (!added || !sameBytes(added.accountKey, committer.accountKey)) return 'It adds a device that is not its author’s'
    if (!isListed(added)) return 'It adds a device that its account does not list'
    if ([...staying, ...incoming.slice(0, at)].some((other) => other && isSamePlace(other, added)))
      return 'It adds a device twice'
  }
  return undefined
}

const isSameDevice = (one: Leaf | undefined, other: Leaf) =>
  one !== undefined &&
  one.deviceId === other.deviceId &&
  sameBytes(one.accountKey, other.accountKey) &&
  sameBytes(one.leafKey, other.leafKey)

const isSamePlace = (one: Leaf, other: Leaf) =>
  sameBytes(one.leafKey, other.leafKey) || (one.deviceId === other.deviceId && sameBytes(one.accountKey, other.accountKey))
