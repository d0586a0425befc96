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
  type PrivateMessage,
  type Proposal,
  processPublicMessage,
} from 'ts-mls'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { unprotectPublicMessage } from 'ts-mls/messageProtectionPublic.js'
import { decryptSenderData } from 'ts-mls/privateMessage.js'
import { type Bytes, concat, decodeFields, encodeFields, sameBytes, utf8 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type Change, type CommitRules, type Leaf, refusalOf } from './commits.ts'
import {
  type Accounts,
  configOf,
  decode,
  decodeWhole,
  encode,
  memberAt,
  membersOf,
  provenMember,
  requireActive,
  requireFit,
  settle,
  suite,
  typed,
} from './suite.ts'

/**
 * A room's MLS state, opaque and immutable. Each step returns a new one, which the caller stores before anything leaves the
 * device.
 */
export type Group = ClientState

/** A commit of this device: store `group`, then post the rest. */
export interface Committed {
  group: Group
  commit: Bytes
  /** The Welcome for the devices that the commit adds; undefined if it adds none. */
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
  /** True if the commit removed this device: `group` can no longer seal or open. */
  removedSelf: boolean
}

const STATE = 'conclave/group-state/v1'

/** Renews this device's keys, which shuts out an attacker who had read the old ones [Note: R7]. */
export async function commitEmpty(step: { group: Group; authData: Uint8Array }): Promise<Committed> {
  return await typed(() => commitWith(step.group, [], step.authData))
}

/**
 * Removes and adds devices. The caller ensures that R3 allows the change: other devices refuse it otherwise. A commit that adds
 * devices renews no keys, and throws 'closes_room' in a room that has renewed some: the device must then join by itself
 * (`joinByGroupInfo`).
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

/**
 * Commits proposals as a public message: receivers check sender, proposals, new leaf and authenticated data before processing
 * [Note: R3].
 */
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
 * Processes another device's commit. Throws CryptoFailure: 'commit_refused' [Note: R3], 'epoch', 'closes_room', 'own_message' for
 * a commit of this leaf, 'mls'. The given state stays usable.
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

/** The plain fields of a commit, before anything in it is verified. Throws CryptoFailure. */
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

// A state seals only once: two messages from it would use the same key, and the second would be lost [Note: M6].
const spent = new WeakSet<Group>()

/** Seals for all other devices of the room. `authData` is authenticated, not encrypted. Throws CryptoFailure. */
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
 * Opens a message, once: the returned state has erased its key. The leaf's signature proves `sender`. Throws CryptoFailure:
 * 'own_message', 'epoch', 'mls' (replayed, tampered with, more than 200 ahead or 100 behind).
 */
export async function openFromGroup(step: {
  group: Group
  message: Uint8Array
}): Promise<{ group: Group; plaintext: Bytes; authData: Bytes; sender: Leaf }> {
  return await typed(async () => {
    const { group } = step
    const { privateMessage } = decode(step.message, 'mls_private_message')
    requireHere(group, privateMessage.groupId, privateMessage.epoch)
    const { tree, content } = await unprotect(group, privateMessage)
    if (content.contentType !== 'application') throw new CryptoFailure('mls', 'Only messages are sealed like this')
    const sender = memberAt(group.ratchetTree, content.sender.senderType === 'member' ? content.sender.leafIndex : -1)
    if (sender.leafIndex === ownLeafIndex(group)) throw new CryptoFailure('own_message', OWN)
    const [plaintext, authData] = [concat(content.applicationData), concat(content.authenticatedData)]
    return { group: { ...group, secretTree: tree }, plaintext, authData, sender }
  })
}

const OWN = 'This device sent the message itself'

/**
 * Opens and verifies what a leaf of this epoch has sealed. It is a part of the library's `processPrivateMessage`, which does not say
 * who the sender is: to learn it before would take a sixth of the time.
 */
async function unprotect(
  { keySchedule, secretTree, ratchetTree, groupContext, clientConfig, ...group }: Group,
  message: PrivateMessage,
) {
  const { senderDataSecret } = keySchedule
  const { keyRetentionConfig } = clientConfig
  const impl = await suite()
  try {
    const opened = await unprotectPrivateMessage(
      senderDataSecret,
      message,
      secretTree,
      ratchetTree,
      groupContext,
      keyRetentionConfig,
      impl,
    )
    return { tree: opened.tree, content: opened.content.content }
  } catch (error) {
    // The ratchet of this device does not open what the device has sealed.
    const sender = await decryptSenderData(message, senderDataSecret, impl)
    if (sender?.leafIndex !== group.privatePath.leafIndex) throw error
    throw new CryptoFailure('own_message', OWN)
  }
}

function requireHere(group: Group, groupId: Uint8Array, epoch: bigint): void {
  requireActive(group)
  if (!sameBytes(groupId, group.groupContext.groupId)) throw new CryptoFailure('mls', 'It belongs to another chat')
  if (epoch !== group.groupContext.epoch) throw new CryptoFailure('epoch', 'It belongs to another state of this chat')
}

/** Derives a secret of this epoch that all members share, for one purpose (RFC 9420 section 8.5). */
export const exportSecret = (group: Group, label: string, context: Uint8Array, length = 32): Promise<Bytes> =>
  typed(async () => concat(await mlsExporter(group.keySchedule.exporterSecret, label, context, length, await suite())))

export const members = (group: Group): Leaf[] => membersOf(group.ratchetTree)
export const epochOf = (group: Group): number => Number(group.groupContext.epoch)
export const groupIdOf = (group: Group): Bytes => concat(group.groupContext.groupId)
export const ownLeafIndex = (group: Group): number => group.privatePath.leafIndex

/** Serializes the state for the vault. The bytes hold every secret of the room, including this device's leaf seed. */
export const writeGroup = (group: Group): Bytes => encodeFields(STATE, encodeGroupState(group))

/** Parses a state that `writeGroup` wrote. Throws CryptoFailure('mls'). */
export function readGroup(bytes: Uint8Array, accounts: Accounts): Group {
  const [label, state] = fieldsOf(bytes)
  if (!label || !state || !sameBytes(label, utf8(STATE))) throw new CryptoFailure('mls', 'These bytes are no state of a chat')
  return { ...decodeWhole(decodeGroupState, encodeGroupState, state), clientConfig: configOf(accounts) }
}

function fieldsOf(bytes: Uint8Array): Uint8Array[] {
  try {
    return decodeFields(bytes)
  } catch (error) {
    throw new CryptoFailure('mls', 'These bytes are no state of a chat', { cause: error })
  }
}

/** The GroupInfo of the current epoch, with the tree, by which a device can join [Note: R2]. */
export const groupInfoOf = (group: Group): Promise<Bytes> =>
  typed(async () => {
    const groupInfo = await createGroupInfoWithExternalPubAndRatchetTree(group, [], await suite())
    return encode({ wireformat: 'mls_group_info', groupInfo })
  })
