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

/** The pinned keys of all members, in any order. */
export type Accounts = readonly Uint8Array[]

export const SUITE = 'MLS_256_XWING_AES256GCM_SHA512_Ed25519'

type Hpke = CiphersuiteImpl['hpke']

const aead: Parameters<typeof makeGenericHpke>[1] = {
  encrypt: (key, nonce, aad, plaintext) => aesGcm('encrypt', { key, nonce, aad }, plaintext),
  decrypt: (key, nonce, aad, ciphertext) => aesGcm('decrypt', { key, nonce, aad }, ciphertext),
}

let making: Promise<Hpke> | undefined

/** A failed load is tried again. */
const loadedHpke = async (): Promise<Hpke> => {
  const { mlsSuite } = await loadHpke()
  making ??= makeGenericHpke(getCiphersuiteFromName(SUITE).hpke, aead, mlsSuite)
  return making
}

// A message needs the AEAD alone; only changes of the group seal to public keys.
const hpke: Hpke = {
  keyLength: 32,
  nonceLength: 12,
  encryptAead: (key, nonce, aad, plaintext) => aead.encrypt(key, nonce, aad ?? new Uint8Array(), plaintext),
  decryptAead: (key, nonce, aad, ciphertext) => aead.decrypt(key, nonce, aad ?? new Uint8Array(), ciphertext),
  open: async (...input) => (await loadedHpke()).open(...input),
  seal: async (...input) => (await loadedHpke()).seal(...input),
  exportSecret: async (...input) => (await loadedHpke()).exportSecret(...input),
  importSecret: async (...input) => (await loadedHpke()).importSecret(...input),
  importPrivateKey: async (...input) => (await loadedHpke()).importPrivateKey(...input),
  importPublicKey: async (...input) => (await loadedHpke()).importPublicKey(...input),
  exportPublicKey: async (...input) => (await loadedHpke()).exportPublicKey(...input),
  exportPrivateKey: async (...input) => (await loadedHpke()).exportPrivateKey(...input),
  deriveKeyPair: async (...input) => (await loadedHpke()).deriveKeyPair(...input),
  generateKeyPair: async (...input) => (await loadedHpke()).generateKeyPair(...input),
}

// HKDF in JavaScript, as the browser's answers later [Note: C2].
const kdf: CiphersuiteImpl['kdf'] = {
  extract: async (salt, secret) => extract(sha512, secret, salt),
  expand: async (key, info, length) => expand(sha512, key, info, length),
  size: sha512.outputLen,
}

// Every client verifies by the strict rules, or one member could split a room [Note: C4].
const signature: CiphersuiteImpl['signature'] = {
  sign: signQuickly,
  verify: (key, message, signed) => verifyQuickly(key, signed, message),
  keygen: async () => {
    const signKey = ed25519.utils.randomSecretKey()
    return { signKey, publicKey: ed25519.getPublicKey(signKey) }
  },
}

const whole: CiphersuiteImpl = { name: SUITE, rng: defaultRng, hpke, hash: makeHashImpl('SHA-512'), kdf, signature }

export const suite = async (): Promise<CiphersuiteImpl> => whole

/** Every leaf supports this suite alone. */
export const capabilities = (): LeafNode['capabilities'] => ({
  versions: ['mls10'],
  ciphersuites: [SUITE],
  extensions: [],
  proposals: [],
  credentials: ['basic'],
})

/** Checks credentials by accounts only: by a clock or manifest, one odd leaf would block every join [Note: D3]. */
export function configOf(accounts: Accounts): ClientConfig {
  return {
    // 0 would keep all epochs; `settle` erases the one that 1 keeps [Note: M2].
    keyRetentionConfig: { retainKeysForGenerations: 100, retainKeysForEpochs: 1, maximumForwardRatchetSteps: 200 },
    lifetimeConfig: { ...defaultLifetimeConfig, validateLifetimeOnReceive: false },
    keyPackageEqualityConfig: defaultKeyPackageEqualityConfig,
    // A message carries a key of fixed size: padding would hide nothing.
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

/** Turns any error of the library into 'mls', with the original as `cause`. */
export async function typed<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof CryptoFailure) throw error
    throw new CryptoFailure('mls', 'It does not fit the encryption of this chat', { cause: error })
  }
}

/** RFC 9420 section 6. */
export const encode = (message: MlsMessageContent): Bytes => concat(encodeMlsMessage({ ...message, version: 'mls10' }))

/** Throws 'mls' for another kind. */
export function decode<F extends MLSMessage['wireformat']>(
  bytes: Uint8Array,
  wireformat: F,
): Extract<MLSMessage, { wireformat: F }> {
  const message = decodeWhole(decodeMlsMessage, encodeMlsMessage, bytes)
  const isWanted = (some: MLSMessage): some is Extract<MLSMessage, { wireformat: F }> => some.wireformat === wireformat
  if (!isWanted(message)) throw new CryptoFailure('mls', 'It is of another kind than it should be')
  return message
}

/** Accepts what the encoder writes: no trailing bytes, no second encoding. Throws 'mls'. */
export function decodeWhole<T>(decoder: Decoder<T>, encoder: Encoder<T>, bytes: Uint8Array): T {
  try {
    // A copy: the library keeps views, and the caller may erase.
    const decoded = decoder(bytes.slice(), 0)
    if (decoded && decoded[1] === bytes.length && sameBytes(encoder(decoded[0]), bytes)) return decoded[0]
  } catch (error) {
    throw new CryptoFailure('mls', 'These bytes are no MLS structure', { cause: error })
  }
  throw new CryptoFailure('mls', 'These bytes are no MLS structure')
}

function unverifiedMember(leaf: LeafNode, leafIndex: number): Leaf | undefined {
  const named = leaf.credential.credentialType === 'basic' ? readCredential(leaf.credential.identity) : undefined
  return named && { leafIndex, ...named, leafKey: concat(leaf.signaturePublicKey) }
}

/** undefined: invalid credential. */
export function provenMember(leaf: LeafNode, leafIndex = -1): Leaf | undefined {
  const isProven =
    leaf.credential.credentialType === 'basic' && credentialHolds(leaf.credential.identity, leaf.signaturePublicKey)
  return isProven ? unverifiedMember(leaf, leafIndex) : undefined
}

/** Verifies nothing: pass a validated tree. Throws 'mls'. */
export function membersOf(tree: RatchetTree): Leaf[] {
  return leavesOf(tree).map(({ leaf, leafIndex }) => {
    const member = unverifiedMember(leaf, leafIndex)
    if (!member) throw new CryptoFailure('mls', 'A device in this chat is not certified')
    return member
  })
}

/** Verifies nothing: pass a validated tree. Throws 'mls'. */
export function memberAt(tree: RatchetTree, leafIndex: number): Leaf {
  const node = tree[2 * leafIndex]
  const member = node?.nodeType === 'leaf' ? unverifiedMember(node.leaf, leafIndex) : undefined
  if (!member) throw new CryptoFailure('mls', 'The sender is not in this chat')
  return member
}

/** Leaf n is node 2n (RFC 9420 appendix C). */
export const leavesOf = (tree: RatchetTree): { leaf: LeafNode; leafIndex: number }[] =>
  tree.flatMap((node, at) => (node?.nodeType === 'leaf' ? [{ leaf: node.leaf, leafIndex: at / 2 }] : []))

/** Throws 'mls' for a leaf that would keep later devices from joining. */
export function requireFit({ capabilities: able, extensions }: LeafNode): void {
  const isFit = able.versions.includes('mls10') && able.ciphersuites.includes(SUITE) && able.credentials.includes('basic')
  if (!isFit || extensions.length > 0) throw new CryptoFailure('mls', 'A device does not fit this chat')
}

// Leaves were verified when they were added.
const structureOnly = { validateCredential: async () => true }
const provenAlready: CiphersuiteImpl['signature'] = { ...signature, verify: async () => true }

/**
 * Run it on every new state: checks the tree as a joining device would, and erases the previous epoch [Note: C7, M2]. Throws
 * 'mls', 'closes_room'.
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

/** Throws 'removed' if this device left the group. */
export function requireActive({ groupActiveState }: ClientState): void {
  if (groupActiveState.kind !== 'active') throw new CryptoFailure('removed', 'This device was removed from this chat')
}
