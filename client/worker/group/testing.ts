import { type Bytes, concat, fromUtf8, utf8 } from '../../../contract/ground/bytes.ts'
import type { Identity, LeafDevice } from '../keys/identity.ts'
import { makeCredential, newDevice, newIdentity } from '../keys/newidentity.ts'
import type { CommitRules } from './commitRules.ts'
import { type Applied, applyCommit, commitChange, commitEmpty } from './commits.ts'
import { roomGroupId } from './groupid.ts'
import { createRoomGroup, joinByGroupInfo, joinByWelcome, makeKeyPackage } from './joining.ts'
import type { MemberAccount, MemberAccounts } from './members.ts'
import { type Group, openFromGroup, sealToGroup } from './mls.ts'

export const now = new Date()
export const none = new Uint8Array()

/** A person's browser, with its credential. */
export interface Browser extends LeafDevice {
  id: string
  identity: Identity
}

/** A browser in a room. Its verbs replace `group`, as a vault would. */
export interface Seat {
  browser: Browser
  house: House
  group: Group
  says(text: string, authData?: Uint8Array): Promise<Bytes>
  reads(message: Uint8Array): Promise<string>
  takes(commit: Uint8Array): Promise<Applied>
  renews(): Promise<Bytes>
  changes(
    removeLeaves: number[],
    addKeyPackages?: Uint8Array[],
  ): Promise<{ commit: Bytes; welcome: Bytes | undefined; groupInfo: Bytes }>
}

/** Facts that all browsers of a room share: its accounts, and the devices that the manifests do not list. */
export interface House {
  accounts: [Bytes, Bytes]
  groupId: Bytes
  unlisted: Set<string>
  rules: CommitRules
}

export async function newBrowser(identity: Identity = newIdentity()): Promise<Browser> {
  const keys = await newDevice()
  return {
    id: keys.id,
    identity,
    leafSeed: keys.leafSeed,
    leafKey: keys.leafKey,
    credential: makeCredential(identity.seed, keys),
  }
}

export function houseOf(one: Identity, other: Identity): House {
  const unlisted = new Set<string>()
  return {
    accounts: [one.publicKey, other.publicKey],
    groupId: roomGroupId(crypto.getRandomValues(new Uint8Array(16)), 'dm_a_b', 1, [one.publicKey, other.publicKey]),
    unlisted,
    rules: { isListed: (_, deviceId) => !unlisted.has(deviceId) },
  }
}

export function seat(browser: Browser, group: Group, house: House): Seat {
  const at: Seat = {
    browser,
    house,
    group,
    says: async (text, authData = none) => {
      const sealed = await sealToGroup({ group: at.group, plaintext: utf8(text), authData })
      at.group = sealed.group
      return sealed.message
    },
    reads: async (message) => {
      const opened = await openFromGroup({ group: at.group, message })
      at.group = opened.group
      return fromUtf8(opened.plaintext)
    },
    takes: async (commit) => {
      const applied = await applyCommit({ group: at.group, commit, accounts: house.accounts, rules: house.rules })
      at.group = applied.group
      return applied
    },
    renews: async () => {
      const made = await commitEmpty({ group: at.group, authData: none })
      at.group = made.group
      return made.commit
    },
    changes: async (removeLeaves, addKeyPackages = []) => {
      const { group: next, ...sent } = await commitChange({ group: at.group, removeLeaves, addKeyPackages, authData: none })
      at.group = next
      return sent
    },
  }
  return at
}

/** Makes a room of Alice's two browsers and Bob's one, which joined by Welcome; Alice's first one created it. */
export async function room() {
  const alice = newIdentity()
  const bob = newIdentity()
  const house = houseOf(alice, bob)
  const [first, second, bobs] = [await newBrowser(alice), await newBrowser(alice), await newBrowser(bob)]
  const packages = [await makeKeyPackage(second, false, now), await makeKeyPackage(bobs, false, now)]
  const keyPackages = packages.map(({ keyPackage }) => keyPackage)
  const made = await createRoomGroup({
    device: first,
    groupId: house.groupId,
    keyPackages,
    authData: none,
    accounts: house.accounts,
    now,
  })
  const joined = packages.map((one) => joinByWelcome({ welcome: made.welcome, ...one, accounts: house.accounts }))
  const [secondGroup, bobGroup] = await Promise.all(joined)
  if (!secondGroup || !bobGroup) throw new Error('Nobody joined')
  return {
    house,
    made,
    alice: seat(first, made.group, house),
    alice2: seat(second, secondGroup, house),
    bob: seat(bobs, bobGroup, house),
  }
}

/** Lets a browser join from outside; the other browsers have not yet processed its commit. */
export async function enters(browser: Browser, groupInfo: Uint8Array, house: House, replaceOwnLeaf?: Uint8Array) {
  const joined = await joinByGroupInfo({
    device: browser,
    groupInfo,
    replaceOwnLeaf,
    authData: none,
    accounts: house.accounts,
    now,
  })
  return { ...joined, seat: seat(browser, joined.group, house) }
}

/** A copy of the bytes with one bit flipped. */
export function flip(bytes: Uint8Array, bit: number): Bytes {
  const flipped = concat(bytes)
  const at = Math.floor(bit / 8) % flipped.length
  flipped[at] = (flipped[at] ?? 0) ^ (1 << (bit % 8))
  return flipped
}

/** The other person of a direct room. */
export function peerIn({ others }: MemberAccounts): MemberAccount {
  const [peer] = others
  if (!peer) throw new Error('Nobody else is in the room')
  return peer
}
