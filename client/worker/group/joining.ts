import {
  createGroup,
  defaultKeyPackageEqualityConfig,
  emptyPskIndex,
  type GroupInfo,
  generateKeyPackageWithKey,
  joinGroup,
  joinGroupExternal,
  type LeafNode,
  type RatchetTree,
} from 'ts-mls'
import { verifyFramedContentSignature } from 'ts-mls/framedContent.js'
import { ratchetTreeFromExtension, verifyGroupInfoSignature } from 'ts-mls/groupInfo.js'
import { makeKeyPackageRef } from 'ts-mls/keyPackage.js'
import { treeHashRoot } from 'ts-mls/treeHash.js'
import { type Bytes, concat, decodeFields, encodeFields, sameBytes } from '../../../contract/ground/bytes.ts'
import { type LeafDevice, readCredential } from '../keys/identity.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Leaf } from './commitRules.ts'
import { addOf, type Committed, commitWith } from './commits.ts'
import { epochOf, type Group, groupIdOf, groupInfoOf } from './mls.ts'
import {
  type Accounts,
  capabilities,
  configOf,
  decode,
  encode,
  leavesOf,
  membersOf,
  provenMember,
  settle,
  suite,
  typed,
} from './suite.ts'

const LAST_RESORT = 0x000a // RFC 9420 section 17.3
const TEN_YEARS_SECONDS = 10 * 365 * 86_400

/**
 * RFC 9420 section 10. `secret`: three private keys; of a one-time package it is erased after one room. The lifetime is wide
 * open, because clocks of devices are wrong.
 */
export async function makeKeyPackage(
  device: LeafDevice,
  isLastResort: boolean,
  now: Date,
): Promise<{ keyPackage: Bytes; secret: Bytes }> {
  return await typed(async () => {
    const { publicPackage, privatePackage } = await keyPackageOf(device, isLastResort, now)
    const { initPrivateKey, hpkePrivateKey, signaturePrivateKey } = privatePackage
    return {
      keyPackage: encode({ wireformat: 'mls_key_package', keyPackage: publicPackage }),
      secret: encodeFields(initPrivateKey, hpkePrivateKey, signaturePrivateKey),
    }
  })
}

async function keyPackageOf({ leafSeed, leafKey, credential }: LeafDevice, isLastResort: boolean, now: Date) {
  const seconds = Math.floor(now.getTime() / 1000)
  const lifetime = { notBefore: 0n, notAfter: BigInt(seconds + TEN_YEARS_SECONDS) }
  const extensions = isLastResort ? [{ extensionType: LAST_RESORT, extensionData: new Uint8Array() }] : []
  const keys = { signKey: leafSeed, publicKey: leafKey }
  const basic: LeafNode['credential'] = { credentialType: 'basic', identity: credential }
  return await generateKeyPackageWithKey(basic, capabilities(), lifetime, extensions, keys, await suite())
}

/** undefined: invalid credential. Adding checks the package's own signature. Throws 'mls'. */
export function keyPackageMember(keyPackage: Uint8Array): Omit<Leaf, 'leafIndex'> | undefined {
  return provenMember(decode(keyPackage, 'mls_key_package').keyPackage.leafNode, -1)
}

interface NewGroup {
  device: LeafDevice
  groupId: Uint8Array
  authData: Uint8Array
  accounts: Accounts
  now: Date
}

/**
 * Takes a key package of every other device. Danger: post the Welcome with the accepted commit only [Note: R6]. Throws 'mls'.
 */
export async function createRoomGroup(room: NewGroup & { keyPackages: Uint8Array[] }): Promise<Committed & { welcome: Bytes }> {
  return await typed(async () => {
    const made = await commitWith(await aloneIn(room), room.keyPackages.map(addOf), room.authData)
    if (!made.welcome) throw new CryptoFailure('mls', 'The server gave no key of the others that fits this chat')
    return { ...made, welcome: made.welcome }
  })
}

/** Begins with an empty commit, which has a path: own devices come in from outside [Note: M10]. Throws 'mls'. */
export const createNotesGroup = (room: NewGroup): Promise<Committed> =>
  typed(async () => commitWith(await aloneIn(room), [], room.authData))

async function aloneIn({ device, groupId, accounts, now }: NewGroup): Promise<Group> {
  const { publicPackage, privatePackage } = await keyPackageOf(device, false, now)
  return await createGroup(groupId, publicPackage, privatePackage, [], await suite(), configOf(accounts))
}

/** A Welcome names a package by this (RFC 9420 section 5.2). */
export const keyPackageRef = (keyPackage: Uint8Array): Promise<Bytes> =>
  typed(async () => concat(await makeKeyPackageRef(decode(keyPackage, 'mls_key_package').keyPackage, (await suite()).hash)))

/** `keyPackageRef` of each receiver. */
export const welcomedRefs = (welcome: Uint8Array): Promise<Bytes[]> =>
  typed(() => decode(welcome, 'mls_welcome').welcome.secrets.map(({ newMember }) => concat(newMember)))

/** Danger: check group id and manifests before sending [Note: R1, D3]. Throws 'mls', 'closes_room'. */
export async function joinByWelcome(invitation: {
  welcome: Uint8Array
  keyPackage: Uint8Array
  /** As `makeKeyPackage` returned it. */
  secret: Uint8Array
  accounts: Accounts
}): Promise<Group> {
  return await typed(async () => {
    const { welcome } = decode(invitation.welcome, 'mls_welcome')
    const { keyPackage } = decode(invitation.keyPackage, 'mls_key_package')
    const [initPrivateKey, hpkePrivateKey, signaturePrivateKey] = decodeFields(invitation.secret).map((field) => field.slice())
    if (!initPrivateKey || !hpkePrivateKey || !signaturePrivateKey)
      throw new RangeError('The secret of a key package is cut short')
    const secret = { initPrivateKey, hpkePrivateKey, signaturePrivateKey }
    const config = configOf(invitation.accounts)
    return await settle(await joinGroup(welcome, keyPackage, secret, emptyPskIndex, await suite(), undefined, undefined, config))
  })
}

/**
 * Returns the creation's authenticated data, signed over the creator's leaf alone [Note: D2]; undefined for a Welcome of a
 * later epoch. Throws 'commit' for another commit.
 */
export async function creationData(group: Group, commit: Uint8Array): Promise<Bytes | undefined> {
  if (epochOf(group) !== 1) return undefined
  return await typed(async () => {
    const { content, auth } = decode(commit, 'mls_public_message').publicMessage
    const creator = leavesOf(group.ratchetTree).find(({ leafIndex }) => leafIndex === 0)?.leaf
    const { sender } = content
    const isCreation =
      content.contentType === 'commit' && content.epoch === 0n && sender.senderType === 'member' && sender.leafIndex === 0
    if (!creator || !isCreation || !sameBytes(content.groupId, groupIdOf(group)))
      throw new CryptoFailure('commit', 'This change did not start the encryption of this chat')
    const { hash, signature } = await suite()
    const before = {
      ...group.groupContext,
      epoch: 0n,
      treeHash: await treeHashRoot([{ nodeType: 'leaf', leaf: creator }], hash),
      confirmedTranscriptHash: new Uint8Array(),
    }
    const { signaturePublicKey } = creator
    if (!(await verifyFramedContentSignature(signaturePublicKey, 'mls_public_message', content, auth, before, signature)))
      throw new CryptoFailure('commit', 'This change did not start the encryption of this chat')
    return concat(content.authenticatedData)
  })
}

/**
 * External commit (RFC 9420 section 12.4.3.2). Checks signer, tree and accounts; danger: check group id and manifests first, by
 * `groupInfoMembers` [Note: R2]. Throws 'already_member', 'closes_room', 'mls'.
 */
export async function joinByGroupInfo(entry: {
  device: LeafDevice
  groupInfo: Uint8Array
  /** Leaf key of the old own leaf, which the tree may have lost. */
  replaceOwnLeaf: Uint8Array | undefined
  authData: Uint8Array
  accounts: Accounts
  now: Date
}): Promise<Omit<Committed, 'welcome'>> {
  return await typed(async () => {
    const { groupInfo } = decode(entry.groupInfo, 'mls_group_info')
    const present = membersOf(treeOf(groupInfo))
    const replaced = present.find(({ leafKey }) => entry.replaceOwnLeaf && sameBytes(leafKey, entry.replaceOwnLeaf))
    const accountKey = readCredential(entry.device.credential)?.accountKey
    if (replaced && !(accountKey && sameBytes(replaced.accountKey, accountKey))) {
      throw new CryptoFailure('mls', 'The device to replace is not this account’s')
    }
    if (present.some((member) => member !== replaced && sameBytes(member.leafKey, entry.device.leafKey))) {
      throw new CryptoFailure('already_member', 'This device still has its place in this chat')
    }
    const config = configOf(entry.accounts)
    const replacing = {
      ...defaultKeyPackageEqualityConfig,
      compareKeyPackageToLeafNode: (_: unknown, leaf: LeafNode) =>
        sameBytes(leaf.signaturePublicKey, replaced?.leafKey ?? new Uint8Array()),
    }
    const { publicPackage, privatePackage } = await keyPackageOf(entry.device, false, entry.now)
    const joining = { ...config, keyPackageEqualityConfig: replacing }
    const cs = await suite()
    const resync = replaced !== undefined
    const joined = await joinGroupExternal(
      groupInfo,
      publicPackage,
      privatePackage,
      resync,
      cs,
      undefined,
      joining,
      entry.authData,
    )
    const group = await settle({ ...joined.newState, clientConfig: config })
    const commit = encode({ wireformat: 'mls_public_message', publicMessage: joined.publicMessage })
    return { group, commit, groupInfo: await groupInfoOf(group) }
  })
}

/** Checks the signature and every credential. Throws 'mls'. */
export async function groupInfoMembers(bytes: Uint8Array): Promise<{ groupId: Bytes; epoch: number; members: Leaf[] }> {
  return await typed(async () => {
    const { groupInfo } = decode(bytes, 'mls_group_info')
    const leaves = leavesOf(treeOf(groupInfo))
    const signer = leaves.find(({ leafIndex }) => leafIndex === groupInfo.signer)
    const present = leaves.flatMap(({ leaf, leafIndex }) => provenMember(leaf, leafIndex) ?? [])
    const isSigned =
      signer && (await verifyGroupInfoSignature(groupInfo, signer.leaf.signaturePublicKey, (await suite()).signature))
    if (!isSigned || present.length !== leaves.length)
      throw new CryptoFailure('mls', 'The server’s state of this chat does not hold')
    const { groupId, epoch } = groupInfo.groupContext
    return { groupId: concat(groupId), epoch: Number(epoch), members: present }
  })
}

function treeOf(groupInfo: GroupInfo): RatchetTree {
  const tree = ratchetTreeFromExtension(groupInfo)
  if (!tree) throw new CryptoFailure('mls', 'The server’s state of this chat is incomplete')
  return tree
}
