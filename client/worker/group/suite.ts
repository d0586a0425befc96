import { ed25519 } from '@noble/curves/ed25519.js'
import { expand, extract } from '@noble/hashes/hkdf.js'
import { sha512 } from '@noble/hashes/sha2.js'
import {
  type CiphersuiteImpl,
  type ClientConfig,
  type ClientState,
  type Decoder,
  decodeMlsMessage,
  defaultKeyPackageEqualityConfig,
  defaultLifetimeConfig,
  type Encoder,
  encodeMlsMessage,
  getCiphersuiteFromName,
  type LeafNode,
  type MLSMessage,
  type MlsMessageContent,
  type RatchetTree,
} from 'ts-mls'
import { validateRatchetTree } from 'ts-mls/clientState.js'
import { defaultRng } from 'ts-mls/crypto/implementation/default/rng.js'
import { makeGenericHpke } from 'ts-mls/crypto/implementation/hpke.js'
import { makeHashImpl } from 'ts-mls/crypto/implementation/noble/makeHashImpl.js'
import { type Bytes, concat, sameBytes } from '../../../contract/ground/bytes.ts'
import { credentialHolds, readCredential } from '../keys/identity.ts'
import { aesGcm } from '../primitives/aesgcm.ts'
import { signQuickly, verifyQuickly } from '../primitives/ed25519.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { loadHpke } from '../primitives/loadHpke.ts'
import type { Leaf } from './commitRules.ts'

/** The two account keys of a room, in any order. */
export type Accounts = readonly Uint8Array[]

export const SUITE = 'MLS_256_XWING_AES256GCM_SHA512_Ed25519'

type Hpke = CiphersuiteImpl['hpke']

const aead: Parameters<typeof makeGenericHpke>[1] = {
  encrypt: (key, nonce, aad, plaintext) => aesGcm('encrypt', { key, nonce, aad }, plaintext),
  decrypt: (key, nonce, aad, ciphertext) => aesGcm('decrypt', { key, nonce, aad }, ciphertext),
}

let making: Promise<Hpke> | undefined

/** The library's HPKE, by the part of the worker that has X-Wing. A load that failed is tried again. */
const byPart = async (): Promise<Hpke> => {
  const { mlsSuite } = await loadHpke()
  making ??= makeGenericHpke(getCiphersuiteFromName(SUITE).hpke, aead, mlsSuite)
  return making
}

// A message needs the AEAD alone. What changes a group seals to public keys.
const hpke: Hpke = {
  keyLength: 32,
  nonceLength: 12,
  encryptAead: (key, nonce, aad, plaintext) => aead.encrypt(key, nonce, aad ?? new Uint8Array(), plaintext),
  decryptAead: (key, nonce, aad, ciphertext) => aead.decrypt(key, nonce, aad ?? new Uint8Array(), ciphertext),
  open: async (...input) => (await byPart()).open(...input),
  seal: async (...input) => (await byPart()).seal(...input),
  exportSecret: async (...input) => (await byPart()).exportSecret(...input),
  importSecret: async (...input) => (await byPart()).importSecret(...input),
  importPrivateKey: async (...input) => (await byPart()).importPrivateKey(...input),
  importPublicKey: async (...input) => (await byPart()).importPublicKey(...input),
  exportPublicKey: async (...input) => (await byPart()).exportPublicKey(...input),
  exportPrivateKey: async (...input) => (await byPart()).exportPrivateKey(...input),
  deriveKeyPair: async (...input) => (await byPart()).deriveKeyPair(...input),
  generateKeyPair: async (...input) => (await byPart()).generateKeyPair(...input),
}

// A message takes a dozen short derivations. The browser's HKDF answers each later, which takes longer than the hash itself.
const kdf: CiphersuiteImpl['kdf'] = {
  extract: async (salt, secret) => extract(sha512, secret, salt),
  expand: async (key, info, length) => expand(sha512, key, info, length),
  size: sha512.outputLen,
}

// If two verifiers differ in corner cases, one member can split a room, so all clients use the strict rules of RFC 8032.
const signature: CiphersuiteImpl['signature'] = {
  sign: signQuickly,
  verify: (key, message, signed) => verifyQuickly(key, signed, message),
  keygen: async () => {
    const signKey = ed25519.utils.randomSecretKey()
    return { signKey, publicKey: ed25519.getPublicKey(signKey) }
  },
}

const whole: CiphersuiteImpl = { name: SUITE, rng: defaultRng, hpke, hash: makeHashImpl('SHA-512'), kdf, signature }

/** X-Wing (X25519 + ML-KEM-768), AES-256-GCM, SHA-512 and Ed25519. */
export const suite = async (): Promise<CiphersuiteImpl> => whole

/** The capabilities of every leaf: only this suite. */
export const capabilities = (): LeafNode['capabilities'] => ({
  versions: ['mls10'],
  ciphersuites: [SUITE],
  extensions: [],
  proposals: [],
  credentials: ['basic'],
})

/**
 * The library's settings. Credentials are checked only against the accounts, not against a clock or a manifest: one odd leaf
 * would block every join [Note: D3].
 */
export function configOf(accounts: Accounts): ClientConfig {
  return {
    // 0 would keep all epochs; `settle` erases the one that 1 keeps [Note: M2].
    keyRetentionConfig: { retainKeysForGenerations: 100, retainKeysForEpochs: 1, maximumForwardRatchetSteps: 200 },
    lifetimeConfig: { ...defaultLifetimeConfig, validateLifetimeOnReceive: false },
    keyPackageEqualityConfig: defaultKeyPackageEqualityConfig,
    // Application messages carry a key of fixed size, so padding would hide nothing.
    paddingConfig: { kind: 'alwaysPad', paddingLength: 0 },
    authService: {
      validateCredential: async (credential, leafKey) => {
        if (credential.credentialType !== 'basic') return false
        const accountKey = readCredential(credential.identity)?.accountKey
        const isPinned = accounts.some((account) => accountKey && sameBytes(account, accountKey))
        return isPinned && credentialHolds(credential.identity, leafKey)
      },
    },
  }
}

/** Runs a step of the library: any error becomes CryptoFailure('mls'), with the original only as `cause`. */
export async function typed<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof CryptoFailure) throw error
    throw new CryptoFailure('mls', 'It does not fit the encryption of this chat', { cause: error })
  }
}

/** An MLS message on the wire (RFC 9420 section 6). */
export const encode = (message: MlsMessageContent): Bytes => concat(encodeMlsMessage({ ...message, version: 'mls10' }))

/** Reads one kind of MLS message. Throws CryptoFailure('mls'). */
export function decode<F extends MLSMessage['wireformat']>(
  bytes: Uint8Array,
  wireformat: F,
): Extract<MLSMessage, { wireformat: F }> {
  const message = decodeWhole(decodeMlsMessage, encodeMlsMessage, bytes)
  const isWanted = (some: MLSMessage): some is Extract<MLSMessage, { wireformat: F }> => some.wireformat === wireformat
  if (!isWanted(message)) throw new CryptoFailure('mls', 'It is of another kind than it should be')
  return message
}

/**
 * Decodes a structure that is exactly what its encoder writes, without trailing bytes or other encodings. Throws
 * CryptoFailure('mls').
 */
export function decodeWhole<T>(decoder: Decoder<T>, encoder: Encoder<T>, bytes: Uint8Array): T {
  try {
    // The library keeps views of its input, so it gets a copy: the caller may erase the bytes afterwards.
    const decoded = decoder(bytes.slice(), 0)
    if (decoded && decoded[1] === bytes.length && sameBytes(encoder(decoded[0]), bytes)) return decoded[0]
  } catch (error) {
    throw new CryptoFailure('mls', 'These bytes are no MLS structure', { cause: error })
  }
  throw new CryptoFailure('mls', 'These bytes are no MLS structure')
}

/** The member that a leaf names, unverified. */
function memberOf(leaf: LeafNode, leafIndex: number): Leaf | undefined {
  const named = leaf.credential.credentialType === 'basic' ? readCredential(leaf.credential.identity) : undefined
  return named && { leafIndex, ...named, leafKey: concat(leaf.signaturePublicKey) }
}

/** The member that a leaf belongs to; undefined if its credential is invalid. */
export function provenMember(leaf: LeafNode, leafIndex = -1): Leaf | undefined {
  const isProven =
    leaf.credential.credentialType === 'basic' && credentialHolds(leaf.credential.identity, leaf.signaturePublicKey)
  return isProven ? memberOf(leaf, leafIndex) : undefined
}

/** The leaves of a validated tree. Throws CryptoFailure('mls'). */
export function membersOf(tree: RatchetTree): Leaf[] {
  return leavesOf(tree).map(({ leaf, leafIndex }) => {
    const member = memberOf(leaf, leafIndex)
    if (!member) throw new CryptoFailure('mls', 'A device in this chat is not certified')
    return member
  })
}

/** The member at a leaf of a validated tree. Throws CryptoFailure('mls'). */
export function memberAt(tree: RatchetTree, leafIndex: number): Leaf {
  const node = tree[2 * leafIndex]
  const member = node?.nodeType === 'leaf' ? memberOf(node.leaf, leafIndex) : undefined
  if (!member) throw new CryptoFailure('mls', 'The sender is not in this chat')
  return member
}

/** The leaves with their indices: leaf n is node 2n (RFC 9420 appendix C). */
export const leavesOf = (tree: RatchetTree): { leaf: LeafNode; leafIndex: number }[] =>
  tree.flatMap((node, at) => (node?.nodeType === 'leaf' ? [{ leaf: node.leaf, leafIndex: at / 2 }] : []))

/** Throws CryptoFailure('mls') for a leaf without these capabilities: it would keep every later device from joining. */
export function requireFit({ capabilities: able, extensions }: LeafNode): void {
  const isFit = able.versions.includes('mls10') && able.ciphersuites.includes(SUITE) && able.credentials.includes('basic')
  if (!isFit || extensions.length > 0) throw new CryptoFailure('mls', 'A device does not fit this chat')
}

// Leaves were verified when they were added, so only the structure of the tree is checked again.
const structureOnly = { validateCredential: async () => true }
const provenAlready: CiphersuiteImpl['signature'] = { ...signature, verify: async () => true }

/**
 * Checks a state before it is used, also after an own commit, and erases the previous epoch [Note: M2]. The library checks less
 * of a commit than of a tree that a device joins, and its check of unmerged leaves is wrong (RFC 9420 section 7.9 requires only
 * the nodes between): a commit that leaves such a tree would close the room to every later device.
 */
export async function settle(state: ClientState): Promise<ClientState> {
  const { groupContext, ratchetTree, groupActiveState, clientConfig } = state
  const isOurs = groupContext.cipherSuite === SUITE && groupContext.version === 'mls10' && groupContext.extensions.length === 0
  if (!isOurs || groupActiveState.kind !== 'active')
    throw new CryptoFailure('mls', 'The encryption of this chat is not of the agreed kind')
  const { treeHash } = groupContext
  const cs = { ...(await suite()), signature: provenAlready }
  const fault = await validateRatchetTree(ratchetTree, groupContext, clientConfig.lifetimeConfig, structureOnly, treeHash, cs)
  const hasUnmerged = ratchetTree.some((node) => node?.nodeType === 'parent' && node.parent.unmergedLeaves.length > 0)
  if (fault || hasUnmerged) throw new CryptoFailure('closes_room', 'Nobody could join this chat after this', { cause: fault })
  for (const { leaf } of leavesOf(ratchetTree)) requireFit(leaf)
  return { ...state, historicalReceiverData: new Map() }
}

/** Throws CryptoFailure('removed') if this device is no longer part of the group. */
export function requireActive({ groupActiveState }: ClientState): void {
  if (groupActiveState.kind !== 'active') throw new CryptoFailure('removed', 'This device was removed from this chat')
}
