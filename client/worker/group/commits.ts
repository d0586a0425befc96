import { createCommit, emptyPskIndex, type FramedContent, type Proposal, processPublicMessage } from 'ts-mls'
import { unprotectPublicMessage } from 'ts-mls/messageProtectionPublic.js'
import { type Bytes, concat, sameBytes } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type Change, type CommitRules, type Leaf, refusalOf } from './commitRules.ts'
import { type Group, groupInfoOf, members, ownLeafIndex, requireHere } from './mls.ts'
import {
  type Accounts,
  configOf,
  decode,
  encode,
  provenMember,
  requireActive,
  requireFit,
  settle,
  suite,
  typed,
} from './suite.ts'

/** Store `group`, then post the rest. */
export interface Committed {
  group: Group
  commit: Bytes
  /** undefined: the commit adds nobody. */
  welcome: Bytes | undefined
  groupInfo: Bytes
}

export interface Applied {
  group: Group
  committer: Leaf
  added: Leaf[]
  removed: Leaf[]
  authData: Bytes
  isExternal: boolean
  /** True: `group` can no longer seal or open. */
  removedSelf: boolean
}

/** Renews this device's keys [Note: R7]. */
export async function commitEmpty(step: { group: Group; authData: Uint8Array }): Promise<Committed> {
  return await typed(() => commitWith(step.group, [], step.authData))
}

/**
 * Check R3 first, as others refuse the commit otherwise. An adding commit renews no keys, and throws 'closes_room' in a room
 * that has renewed some: use `joinByGroupInfo` there.
 */
export async function commitChange(step: {
  group: Group
  /** Leaf indices. */
  removeLeaves: number[]
  addKeyPackages: Uint8Array[]
  authData: Uint8Array
}): Promise<Committed> {
  return await typed(async () => {
    const removes = step.removeLeaves.map((removed): Proposal => ({ proposalType: 'remove', remove: { removed } }))
    return await commitWith(step.group, [...removes, ...step.addKeyPackages.map(addOf)], step.authData)
  })
}

/** Makes a public message, so that receivers check it before processing [Note: R3]. */
export async function commitWith(group: Group, extraProposals: Proposal[], authenticatedData: Uint8Array): Promise<Committed> {
  requireActive(group)
  const options = { extraProposals, authenticatedData, wireAsPublicMessage: true, ratchetTreeExtension: true }
  const made = await createCommit({ state: group, cipherSuite: await suite(), pskIndex: emptyPskIndex }, options)
  const next = await settle(made.newState)
  const welcome = made.welcome && encode({ wireformat: 'mls_welcome', welcome: made.welcome })
  return { group: next, commit: encode(made.commit), welcome, groupInfo: await groupInfoOf(next) }
}

/** Throws 'mls' if the suite does not fit. */
export function addOf(bytes: Uint8Array): Proposal {
  const { keyPackage } = decode(bytes, 'mls_key_package')
  requireFit(keyPackage.leafNode)
  return { proposalType: 'add', add: { keyPackage } }
}

/**
 * Throws 'commit_refused' [Note: R3], 'epoch', 'closes_room', 'removed', 'mls', 'own_message' for a commit of this leaf. The
 * given state stays usable.
 */
export async function applyCommit(step: {
  group: Group
  commit: Uint8Array
  accounts: Accounts
  rules: CommitRules
}): Promise<Applied> {
  return await typed(async () => {
    const { group } = step
    const { publicMessage } = decode(step.commit, 'mls_public_message')
    const { content } = publicMessage
    requireHere(group, content.groupId, content.epoch)
    const before = members(group)
    const change = changeOf(content, before)
    if (!change.isExternal && change.committer?.leafIndex === ownLeafIndex(group)) {
      throw new CryptoFailure('own_message', 'This device made the change itself')
    }
    const refusal = refusalOf(change, before, step.accounts, step.rules)
    const { committer } = change
    if (refusal || !committer) throw new CryptoFailure('commit_refused', refusal ?? 'Its author is unknown')
    const removed = before.filter(({ leafIndex }) => change.removes.includes(leafIndex))
    const outcome = { removed, authData: concat(content.authenticatedData), isExternal: change.isExternal }
    const cs = await suite()

    // The library misses its own removal in an external commit, and if a new device takes the leaf in the same commit.
    if (change.removes.includes(ownLeafIndex(group))) {
      await unprotectPublicMessage(group.keySchedule.membershipKey, group.groupContext, group.ratchetTree, publicMessage, cs)
      const out: Group = { ...group, groupActiveState: { kind: 'removedFromGroup' } }
      return { ...outcome, group: out, committer, added: [], removedSelf: true }
    }
    const { newState } = await processPublicMessage(group, publicMessage, emptyPskIndex, cs)
    const next = await settle({ ...newState, clientConfig: configOf(step.accounts) })
    const added = [...change.adds, ...(change.isExternal ? [committer] : [])].flatMap((one) => (one ? placed(next, one) : []))
    return { ...outcome, group: next, committer: placed(next, committer)[0] ?? committer, added, removedSelf: false }
  })
}

const placed = (group: Group, { leafKey }: Leaf): Leaf[] => members(group).filter((member) => sameBytes(member.leafKey, leafKey))

function changeOf(content: FramedContent, before: Leaf[]): Change {
  const { sender } = content
  if (content.contentType !== 'commit') throw new CryptoFailure('commit_refused', 'A change of this chat is incomplete')
  const { path, proposals } = content.commit
  const change: Change = {
    isExternal: sender.senderType === 'new_member_commit',
    committer: sender.senderType === 'member' ? before.find(({ leafIndex }) => leafIndex === sender.leafIndex) : undefined,
    path: path ? provenMember(path.leafNode) : 'absent',
    adds: [],
    removes: [],
    externalInits: 0,
    others: [],
  }
  if (change.isExternal && change.path !== 'absent') change.committer = change.path
  for (const entry of proposals) {
    if (entry.proposalOrRefType === 'reference') change.others.push('by reference')
    else if (entry.proposal.proposalType === 'add') change.adds.push(provenMember(entry.proposal.add.keyPackage.leafNode))
    else if (entry.proposal.proposalType === 'remove') change.removes.push(entry.proposal.remove.removed)
    else if (entry.proposal.proposalType === 'external_init') change.externalInits++
    else change.others.push(String(entry.proposal.proposalType))
  }
  return change
}

/** Verifies nothing. Throws 'mls', 'commit_refused'. */
export function inspectCommit(commit: Uint8Array): { groupId: Bytes; epoch: number; isExternal: boolean; authData: Bytes } {
  const { content } = decode(commit, 'mls_public_message').publicMessage
  if (content.contentType !== 'commit') throw new CryptoFailure('commit_refused', 'A change of this chat is incomplete')
  return {
    groupId: concat(content.groupId),
    epoch: Number(content.epoch),
    isExternal: content.sender.senderType === 'new_member_commit',
    authData: concat(content.authenticatedData),
  }
}
