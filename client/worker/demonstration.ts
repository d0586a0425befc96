import { parseEnvelope } from '../../contract/chat/envelope.ts'
import { roomGroupId } from './group/groupid.ts'
import { createRoomGroup, joinByWelcome, makeKeyPackage } from './group/joining.ts'
import { SUITE } from './group/suite.ts'
import type { Identity, LeafDevice } from './keys/identity.ts'
import { makeCredential, newDevice, newIdentity } from './keys/newidentity.ts'
import { openByGroup, sealMessage } from './messages/sealedMessage.ts'
import { CryptoFailure } from './primitives/failure.ts'
// Here they come along in one file: the page loads it when a text is typed, and nothing begins without them.
import './primitives/hpke.ts'
import { publicKeyOf, randomBytes } from './primitives/seal.ts'

/** Two people with a device each, in a room that exists in this page alone: nothing is stored, and nothing leaves it. */
export interface Demonstration {
  /** Seals a text as the one device does with every message, and returns what would go to the server: the envelope as text, ASCII. */
  seal(text: string): Promise<string>
  /** Opens an envelope at the other device, once. Throws CryptoFailure for one that was altered or opened before. */
  open(envelope: string): Promise<string>
  /** The MLS cipher suite by its name. */
  suite: string
  /** Bytes of the public key to which keys of the room are sealed: X25519 (32) and ML-KEM-768 (1184). */
  sealingKeyBytes: number
  /** Bytes of the key package by which the other device came in. */
  keyPackageBytes: number
}

const ROOM = 'dm_a_b'
const NOTHING = new Uint8Array()

/**
 * Makes such a room by the verbs that make every room. The public pages show by it how a text is sealed. It reaches neither the vault
 * nor the worker, and has no keys of anybody.
 */
export async function openDemonstration(now: Date): Promise<Demonstration> {
  const people = [newIdentity(), newIdentity()] as const
  const accounts = people.map(({ publicKey }) => publicKey)
  const [{ leaf: ours }, { leaf: theirs, sealingKeyBytes }] = await Promise.all([newLeaf(people[0]), newLeaf(people[1])])
  const invited = await makeKeyPackage(theirs, false, now)
  const groupId = roomGroupId(randomBytes(16), ROOM, 1, accounts)
  const keyPackages = [invited.keyPackage]
  const made = await createRoomGroup({ device: ours, groupId, keyPackages, authData: NOTHING, accounts, now })
  let sending = made.group
  let reading = await joinByWelcome({ welcome: made.welcome, ...invited, accounts })
  let sealed = 0

  return {
    suite: SUITE,
    sealingKeyBytes,
    keyPackageBytes: invited.keyPackage.length,
    async seal(text) {
      const content = { type: 'text' as const, text }
      const seen = { seq: sealed++, hash: '' }
      const frame = { id: crypto.randomUUID(), chatRoomId: ROOM, sentAt: now.toISOString(), replyToId: null }
      const { group, content: envelope } = await sealMessage(sending, ours, {
        ...frame,
        content,
        manifests: { a: 1, b: 1 },
        seen,
      })
      sending = group
      return envelope
    },
    async open(written) {
      const envelope = parseEnvelope(written)
      if (!envelope) throw new CryptoFailure('body', 'The message is damaged')
      const { group, opened } = await openByGroup(reading, envelope)
      reading = group
      const { content } = opened.statement
      return content?.type === 'text' ? content.text : ''
    },
  }
}

async function newLeaf(identity: Identity): Promise<{ leaf: LeafDevice; sealingKeyBytes: number }> {
  const device = await newDevice()
  const credential = makeCredential(identity.seed, device)
  const leaf = { leafSeed: device.leafSeed, leafKey: publicKeyOf(device.leafSeed), credential }
  return { leaf, sealingKeyBytes: device.sealingKey.length }
}
