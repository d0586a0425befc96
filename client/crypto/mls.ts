import {
  type ClientState,
  createApplicationMessage,
  createCommit,
  createGroupInfoWithExternalPubAndRatchetTree,
  decodeGroupState,
  emptyPskIndex,
  encodeGroupState,
  type FramedContent,
  mlsExporter,
  type Proposal,
  processPrivateMessage,
  processPublicMessage,
} from 'ts-mls'
import { unprotectPublicMessage } from 'ts-mls/messageProtectionPublic.js'
import { decryptSenderData } from 'ts-mls/privateMessage.js'
import { type Bytes, concat, decodeFields, encodeFields, sameBytes, utf8 } from '../../contract/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type Change, type CommitRules, type Leaf, refusalOf } from './commits.ts'
import {
  type Accounts,
  configOf,
  decode,
  decodeWhole,
  encode,
  membersOf,
  provenMember,
  requireActive,
  requireFit,
  settle,
  suite,
  typed,
} from './suite.ts'

/** A room's MLS state. Opaque: it goes in, another comes out, and the caller stores it before anything leaves the device. */
export type Group = ClientState

/** A commit that was made here: store `group`, then post the rest. */
export interface Committed {
  group: Group
  commit: Bytes
  /** For the devices that the commit adds; undefined where it adds none. */
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
  /** This device is out: `group` neither seals nor opens any more. */
  removedSelf: boolean
}

const STATE = 'conclave/group-state/v1'

/** Renews this device's keys: who had read the old ones is shut out again [Note: R7]. */
export async function commitEmpty(step: { group: Group; authData: Uint8Array }): Promise<Committed> {
  return await typed(() => commitWith(step.group, [], step.authData))
}

/**
 * Removes and adds devices. What R3 allows is the caller's to know: others refuse the rest. Additions renew no keys and throw
 * 'closes_room' in a room that has renewed some: let the device come in by itself (`joinByGroupInfo`).
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

/** Commits proposals, as a public message: receivers check sender, proposals, new leaf and authenticated data before processing [Note: R3]. */
export async function commitWith(group: Group, extraProposals: Proposal[], authenticatedData: Uint8Array): Promise<Committed> {
  requireActive(group)
  const options = { extraProposals, authenticatedData, wireAsPublicMessage: true, ratchetTreeExtension: true }
  const made = await createCommit({ state: group, cipherSuite: await suite(), pskIndex: emptyPskIndex }, options)
  const next = await settle(made.newState)
  const welcome = made.welcome && encode({ wireformat: 'mls_welcome', welcome: made.welcome })
  return { group: next, commit: encode(made.commit), welcome, groupInfo: await groupInfoOf(next) }
}

/** The proposal that adds the owner of a key package. */
export function addOf(bytes: Uint8Array): Proposal {
  const { keyPackage } = decode(bytes, 'mls_key_package')
  requireFit(keyPackage.leafNode)
  return { proposalType: 'add', add: { keyPackage } }
}

/**
 * Takes a commit that others made. Throws CryptoFailure: 'commit_refused' [Note: R3], 'epoch', 'closes_room', 'own_message' for one that this leaf made, 'mls';
 * the state that went in stays good.
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
      throw new CryptoFailure('own_message', 'This device made the commit itself')
    }
    const refusal = refusalOf(change, before, step.accounts, step.rules)
    const { committer } = change
    if (refusal || !committer) throw new CryptoFailure('commit_refused', refusal ?? 'Its author is unknown')
    const removed = before.filter(({ leafIndex }) => change.removes.includes(leafIndex))
    const outcome = { removed, authData: concat(content.authenticatedData), isExternal: change.isExternal }
    const cs = await suite()

    // The library sees its own removal neither in an external commit nor where a new device takes the place at once.
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
  if (content.contentType !== 'commit') throw new CryptoFailure('commit_refused', 'A proposal stands alone')
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

/** What a commit says about itself, before anything of it is checked. Throws CryptoFailure. */
export function inspectCommit(commit: Uint8Array): { groupId: Bytes; epoch: number; isExternal: boolean; authData: Bytes } {
  const { content } = decode(commit, 'mls_public_message').publicMessage
  if (content.contentType !== 'commit') throw new CryptoFailure('commit_refused', 'A proposal stands alone')
  return {
    groupId: concat(content.groupId),
    epoch: Number(content.epoch),
    isExternal: content.sender.senderType === 'new_member_commit',
    authData: concat(content.authenticatedData),
  }
}

// A state that sealed once must not seal again: both messages would take the same key, and the second be lost [Note: M6].
const spent = new WeakSet<Group>()

/** Seals for all other devices of the room. `authData` is authenticated, not hidden. Throws CryptoFailure. */
export async function sealToGroup(step: {
  group: Group
  plaintext: Uint8Array
  authData: Uint8Array
}): Promise<{ group: Group; message: Bytes }> {
  return await typed(async () => {
    requireActive(step.group)
    if (spent.has(step.group)) throw new CryptoFailure('spent', 'This state has sealed a message already: read the stored one')
    spent.add(step.group)
    const made = await createApplicationMessage(step.group, step.plaintext, await suite(), step.authData)
    return { group: made.newState, message: encode({ wireformat: 'mls_private_message', privateMessage: made.privateMessage }) }
  })
}

/**
 * Opens a message, once: the state that comes out has forgotten its key. `sender` is proven by the leaf's signature. Throws CryptoFailure:
 * 'own_message', 'epoch', 'mls' (replayed, tampered with, more than 200 ahead or 100 behind).
 */
export async function openFromGroup(step: {
  group: Group
  message: Uint8Array
}): Promise<{ group: Group; plaintext: Bytes; authData: Bytes; sender: Leaf }> {
  return await typed(async () => {
    const { group } = step
    const sender = await senderOf(step)
    if (sender.leafIndex === ownLeafIndex(group)) throw new CryptoFailure('own_message', 'This device sent the message itself')
    const { privateMessage } = decode(step.message, 'mls_private_message')
    const opened = await processPrivateMessage(group, privateMessage, emptyPskIndex, await suite(), () => 'reject')
    if (opened.kind !== 'applicationMessage') throw new CryptoFailure('mls', 'Only messages are sealed, commits are not')
    const authData = concat(privateMessage.authenticatedData)
    return { group: opened.newState, plaintext: concat(opened.message), authData, sender }
  })
}

/** Whose message it claims to be: trusted only once it has been opened. Throws CryptoFailure('epoch' or 'mls'). */
export async function senderOf({ group, message }: { group: Group; message: Uint8Array }): Promise<Leaf> {
  return await typed(async () => {
    const { privateMessage } = decode(message, 'mls_private_message')
    if (privateMessage.contentType !== 'application') throw new CryptoFailure('mls', 'Only messages are sealed, commits are not')
    requireHere(group, privateMessage.groupId, privateMessage.epoch)
    const sent = await decryptSenderData(privateMessage, group.keySchedule.senderDataSecret, await suite())
    const sender = members(group).find(({ leafIndex }) => leafIndex === sent?.leafIndex)
    if (!sender) throw new CryptoFailure('mls', 'The sender is not in the room')
    return sender
  })
}

function requireHere(group: Group, groupId: Uint8Array, epoch: bigint): void {
  requireActive(group)
  if (!sameBytes(groupId, group.groupContext.groupId)) throw new CryptoFailure('mls', 'It belongs to another group')
  if (epoch !== group.groupContext.epoch) throw new CryptoFailure('epoch', 'It belongs to another epoch of the room')
}

/** A secret of this epoch that all members derive alike, for one purpose (RFC 9420 section 8.5). */
export const exportSecret = (group: Group, label: string, context: Uint8Array, length = 32): Promise<Bytes> =>
  typed(async () => concat(await mlsExporter(group.keySchedule.exporterSecret, label, context, length, await suite())))

export const members = (group: Group): Leaf[] => membersOf(group.ratchetTree)
export const epochOf = (group: Group): number => Number(group.groupContext.epoch)
export const groupIdOf = (group: Group): Bytes => concat(group.groupContext.groupId)
export const ownLeafIndex = (group: Group): number => group.privatePath.leafIndex

/** The state as bytes for the vault. They hold every secret of the room, this device's leaf seed among them. */
export const writeGroup = (group: Group): Bytes => encodeFields(STATE, encodeGroupState(group))

/** The state that `writeGroup` wrote. Throws CryptoFailure('mls'). */
export function readGroup(bytes: Uint8Array, accounts: Accounts): Group {
  const [label, state] = fieldsOf(bytes)
  if (!label || !state || !sameBytes(label, utf8(STATE))) throw new CryptoFailure('mls', 'These bytes are no state of a room')
  return { ...decodeWhole(decodeGroupState, encodeGroupState, state), clientConfig: configOf(accounts) }
}

function fieldsOf(bytes: Uint8Array): Uint8Array[] {
  try {
    return decodeFields(bytes)
  } catch (error) {
    throw new CryptoFailure('mls', 'These bytes are no state of a room', { cause: error })
  }
}

/** The GroupInfo of the current epoch, with the tree: what a device needs to come in [Note: R2]. */
export const groupInfoOf = (group: Group): Promise<Bytes> =>
  typed(async () => {
    const groupInfo = await createGroupInfoWithExternalPubAndRatchetTree(group, [], await suite())
    return encode({ wireformat: 'mls_group_info', groupInfo })
  })
