import {
  type ClientState,
  createApplicationMessage,
  createGroupInfoWithExternalPubAndRatchetTree,
  decodeGroupState,
  encodeGroupState,
  mlsExporter,
  type PrivateMessage,
} from 'ts-mls'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { decryptSenderData } from 'ts-mls/privateMessage.js'
import { type Bytes, concat, decodeFields, encodeFields, sameBytes, utf8 } from '../../../contract/ground/bytes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Leaf } from './commitRules.ts'
import {
  type Accounts,
  configOf,
  decode,
  decodeWhole,
  encode,
  memberAt,
  membersOf,
  requireActive,
  suite,
  typed,
} from './suite.ts'

/** Immutable. Danger: store each step's new state before anything leaves the device. */
export type Group = ClientState

const STATE = 'conclave/group-state/v1'

// A state seals once: two messages of one state would use the same key [Note: M6].
const spent = new WeakSet<Group>()

/** `authData` is authenticated, not encrypted. Throws 'spent' [Note: M6], 'removed', 'mls'. */
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
 * Opens once: the new state lacks the key. The leaf's signature proves `sender`. Throws 'own_message', 'epoch', 'removed',
 * 'mls' (replayed, changed, over 200 ahead or 100 behind).
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

/** The library's `processPrivateMessage` does not return the sender [Note: C7]. */
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
    // A device cannot open its own messages.
    const sender = await decryptSenderData(message, senderDataSecret, impl)
    if (sender?.leafIndex !== group.privatePath.leafIndex) throw error
    throw new CryptoFailure('own_message', OWN)
  }
}

/** Throws 'removed', 'epoch', 'mls' for another group. */
export function requireHere(group: Group, groupId: Uint8Array, epoch: bigint): void {
  requireActive(group)
  if (!sameBytes(groupId, group.groupContext.groupId)) throw new CryptoFailure('mls', 'It belongs to another chat')
  if (epoch !== group.groupContext.epoch) throw new CryptoFailure('epoch', 'It belongs to another state of this chat')
}

/** MLS exporter (RFC 9420 section 8.5), one label a purpose. `length` in bytes. */
export const exportSecret = (group: Group, label: string, context: Uint8Array, length = 32): Promise<Bytes> =>
  exportFrom(group.keySchedule.exporterSecret, label, context, length)

/** Danger: makes all that the epoch exports, also once the group has moved on. Erase it. */
export const exporterOf = (group: Group): Bytes => concat(group.keySchedule.exporterSecret)

export const exportFrom = (exporter: Uint8Array, label: string, context: Uint8Array, length = 32): Promise<Bytes> =>
  typed(async () => concat(await mlsExporter(exporter, label, context, length, await suite())))

export const members = (group: Group): Leaf[] => membersOf(group.ratchetTree)
export const epochOf = (group: Group): number => Number(group.groupContext.epoch)
export const groupIdOf = (group: Group): Bytes => concat(group.groupContext.groupId)
export const ownLeafIndex = (group: Group): number => group.privatePath.leafIndex

/** Danger: holds every secret of the room, and the leaf seed. */
export const writeGroup = (group: Group): Bytes => encodeFields(STATE, encodeGroupState(group))

/** Throws 'mls' for bytes that `writeGroup` did not make. */
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

/** Includes the tree, so that a device can join by it [Note: R2]. */
export const groupInfoOf = (group: Group): Promise<Bytes> =>
  typed(async () => {
    const groupInfo = await createGroupInfoWithExternalPubAndRatchetTree(group, [], await suite())
    return encode({ wireformat: 'mls_group_info', groupInfo })
  })
