import type { Frame } from '../../../contract/chat/content.ts'
import { type Envelope, envelopeVersion, isKnownVersion, parseEnvelope } from '../../../contract/chat/envelope.ts'
import type { Message } from '../../../contract/chat/messages.ts'
import type { ArchiveKey } from '../../../contract/chat/rooms.ts'
import { concat, fromBase64, sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { everyAccount, type MemberAccount, type MemberAccounts } from '../group/members.ts'
import { signerStanding } from '../group/signers.ts'
import { historyKeyOf } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { openFrom, sealTo } from '../primitives/seal.ts'
import { bodyOf, type MessageFlags, type StoredBody } from '../vault/storedMessage.ts'
import type { EpochName, RoomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'
import { type Opened, openByArchive } from './sealedMessage.ts'

const KEY_BYTES = 32
const GROUP_ID_BYTES = 48
const EPOCH_MAX = 999_999_999

const KEYS_MAX = 16

export const EPOCH_ROWS = 'epoch:'
const rowOf = ({ groupId, epoch }: EpochName) => `${EPOCH_ROWS}${groupId}:${epoch}`
const restOf = (place: EpochName) => `${rowOf(place)}:rest`

/** Seals an archive key to a history key, if the account has one [Note: H1]. */
export async function sealArchiveKey(
  { userId, identityKey, manifest }: MemberAccount,
  place: EpochName,
  archiveKey: Uint8Array,
): Promise<ArchiveKey | undefined> {
  const { historyKey, historyKeyId, keepsHistory } = manifest
  if (!keepsHistory) return undefined
  try {
    const sealed = await sealTo(fromBase64(historyKey), 'conclave/archive-seal/v1', archiveKey, ...context(place, identityKey))
    return { userId, ...place, historyKeyId, sealed: toBase64(sealed) }
  } catch (error) {
    if (error instanceof CryptoFailure) return undefined
    throw error
  }
}

/** Stores every key: only messages show which one is right [Note: H1]. */
export async function keepArchiveKeys(live: Live, keys: ArchiveKey[], chatRoomId?: string): Promise<void> {
  const opened = await Promise.all(keys.map(async (key) => ({ place: key, bytes: await openArchiveKey(live, key) })))
  await keepEpochKeys(
    live,
    opened.flatMap(({ place, bytes }) => (bytes ? [{ place, bytes }] : [])),
    chatRoomId,
  )
}

/** Stores candidates, unless this device has derived the key. */
export async function keepEpochKeys(
  live: Live,
  keys: { place: EpochName; bytes: Uint8Array }[],
  chatRoomId: string | undefined,
): Promise<void> {
  const opened = new Map<string, { place: EpochName; found: Uint8Array[] }>()
  for (const { place, bytes } of keys) {
    const { found } = opened.get(rowOf(place)) ?? { found: [] }
    opened.set(rowOf(place), { place, found: [...found, bytes] })
  }
  const writes = await Promise.all(
    [...opened.values()].map(async ({ place, found }) => {
      if ((await live.vault.get('sealed', rowOf(place)))?.json === 'derived') return []
      // Drops the oldest.
      const all = distinct([...found, ...(await archiveKeysHeld(live, place))]).slice(0, KEYS_MAX)
      return candidateWrites(place, all, chatRoomId)
    }),
  )
  await live.vault.write(writes.flat())
}

const distinct = (keys: Uint8Array[]): Uint8Array[] =>
  keys.filter((key, at) => !keys.slice(0, at).some((earlier) => sameBytes(earlier, key)))

function candidateWrites(place: EpochName, [first, ...rest]: Uint8Array[], chatRoomId: string | undefined): Write[] {
  const writeOf = (key: string, bytes: Uint8Array): Write => ({
    store: 'sealed',
    key,
    value: { json: null, bytes },
    ...(chatRoomId !== undefined && { chatRoomId }),
  })
  return [...(first ? [writeOf(rowOf(place), first)] : []), ...(rest.length > 0 ? [writeOf(restOf(place), concat(...rest))] : [])]
}

/** Returns the write of a derived key. */
export const derivedKeyWrite = (chatRoomId: string, place: EpochName, bytes: Uint8Array): Write => ({
  store: 'sealed',
  key: rowOf(place),
  value: { json: 'derived', bytes },
  chatRoomId,
})

/** undefined: the seal does not open here. */
export async function openArchiveKey(live: Live, key: ArchiveKey): Promise<Uint8Array | undefined> {
  const history = key.userId === live.userId ? await historyKeyOf(live, key.historyKeyId) : undefined
  if (!history) return undefined
  try {
    const sealed = fromBase64(key.sealed)
    const bytes = await openFrom(history.seed, 'conclave/archive-seal/v1', sealed, ...context(key, live.identityKey))
    return bytes.length === KEY_BYTES ? bytes : undefined
  } catch (error) {
    if (error instanceof CryptoFailure) return undefined
    throw error
  }
}

/** Returns the derived, else the newest key. */
export const archiveKeyHeld = async (live: Live, place: EpochName): Promise<Uint8Array | undefined> =>
  (await live.vault.get('sealed', rowOf(place)))?.bytes

/** Returns all candidates of an epoch. */
export async function archiveKeysHeld(live: Live, place: EpochName): Promise<Uint8Array[]> {
  const [first, rest] = await Promise.all([live.vault.get('sealed', rowOf(place)), live.vault.get('sealed', restOf(place))])
  if (!first?.bytes) return []
  if (first.json === 'derived' || !rest?.bytes) return [first.bytes]
  const { bytes } = rest
  const count = Math.floor(bytes.length / KEY_BYTES)
  return [first.bytes, ...Array.from({ length: count }, (_, at) => bytes.slice(at * KEY_BYTES, (at + 1) * KEY_BYTES))]
}

export type Sent = Pick<Message, 'id' | 'seq' | 'senderId' | 'content' | 'createdAt'>

export interface Read {
  senderId: string
  body: StoredBody
  proof?: { statement: Frame; deviceId: string }
  flags?: MessageFlags
}

/** `chatRoomId`: the room followed here, never one that the server names. */
export interface Reading {
  live: Live
  chatRoomId: string
  accounts: MemberAccounts
  /** Says whose signatures count. */
  record: Pick<RoomRecord, 'named'>
}

/** Returns the envelope if no key fits. */
export async function readByArchive(at: Reading, envelope: Envelope, message: Sent, key?: Uint8Array): Promise<Read> {
  // No room has such values.
  if (fromBase64(envelope.groupId).length !== GROUP_ID_BYTES || envelope.epoch > EPOCH_MAX)
    return unreadable(message, new CryptoFailure('place', 'It was sealed for no chat'))
  for (const archiveKey of key ? [key] : await archiveKeysHeld(at.live, envelope)) {
    try {
      return readOpened(at, await openByArchive(archiveKey, envelope), message)
    } catch (error) {
      // Another key can only help against a wrong key.
      if (!(error instanceof CryptoFailure) || error.code !== 'archive_key') return unreadable(message, error)
    }
  }
  return { senderId: message.senderId, body: { kind: 'sealed', envelope: message.content } }
}

/** Unknown envelopes are never shown as text. */
export function readUnsealed({ senderId, content }: Sent): Read {
  const version = envelopeVersion(content)
  if (version !== undefined && !isKnownVersion(version)) return { senderId, body: { kind: 'newer', kept: { envelope: content } } }
  if (version !== undefined) return unreadable({ senderId }, new CryptoFailure('envelope', 'The message is damaged'))
  if (content.length <= LIMITS.contentBytes) return { senderId, body: { kind: 'plain', text: content } }
  return unreadable({ senderId }, new CryptoFailure('too_large', 'It is longer than a message can be'))
}

/**
 * Accepts a message signed for this room by a member's device, not known as removed. HPKE authenticates no sealer [Note: H3].
 */
export function readOpened({ chatRoomId, accounts, record }: Reading, opened: Opened, message: Sent): Read {
  const { statement, text, isWhole, accountKey, deviceId } = opened
  const sender = everyAccount(accounts).find(({ identityKey }) => sameBytes(accountKey, identityKey))
  if (!sender) throw new CryptoFailure('sender', 'It was signed by somebody who is not in this chat')
  const standing = signerStanding(record, sender, deviceId, message.seq)
  if (standing === 'refused') throw new CryptoFailure('signer', 'It was signed by a browser that had been removed before')
  if (statement.id !== message.id || statement.chatRoomId !== chatRoomId)
    throw new CryptoFailure('place', 'It was written for another place')
  const { content } = statement
  const kept = { statement: text, deviceId }
  const body: StoredBody = content ? bodyOf(content, isWhole ? undefined : kept) : { kind: 'newer', kept }
  const flags: MessageFlags = {
    ...(standing === 'removed_since' && { isRemovedSince: true }),
    ...sentFar(statement, message.createdAt),
    ...(statement.lifetime !== undefined && { lifetime: statement.lifetime }),
    deviceId,
  }
  return { senderId: sender.userId, body, proof: { statement, deviceId }, flags }
}

export const FAR_MS = 10 * 60_000

/** Returns a signed time far from the server's [Note: H3, M4]. */
export function sentFar(
  { sentAt, writtenAt = sentAt }: { sentAt: string; writtenAt?: string | undefined },
  createdAt: string,
): Pick<MessageFlags, 'sentAt'> {
  const far = [writtenAt, sentAt].find((at) => Math.abs(Date.parse(at) - Date.parse(createdAt)) >= FAR_MS)
  return far === undefined ? {} : { sentAt: far }
}

/** Throws any error but a CryptoFailure again. */
export function unreadable(message: Pick<Sent, 'senderId'>, error: unknown): Read {
  if (!(error instanceof CryptoFailure)) throw error
  return { senderId: message.senderId, body: { kind: 'unreadable', reason: error.message } }
}

/** Returns epochs without keys here. */
export async function missingEpochs(live: Live, messages: { content: string }[]): Promise<EpochName[]> {
  const places = new Map<string, EpochName>()
  for (const { content } of messages) {
    const envelope = parseEnvelope(content)
    if (envelope && envelope.epoch <= EPOCH_MAX) places.set(rowOf(envelope), { groupId: envelope.groupId, epoch: envelope.epoch })
  }
  const held = await Promise.all([...places.values()].map(async (place) => [place, await archiveKeyHeld(live, place)] as const))
  return held.filter(([, key]) => !key).map(([place]) => place)
}

const context = ({ groupId, epoch }: EpochName, identityKey: Uint8Array): [Uint8Array, string, Uint8Array] => [
  fromBase64(groupId),
  String(epoch),
  identityKey,
]
