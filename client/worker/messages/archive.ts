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
import type { MessageFlags, StoredBody } from '../vault/storedMessage.ts'
import type { EpochName, RoomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'
import { type Opened, openByArchive } from './sealedMessage.ts'

const KEY_BYTES = 32
const GROUP_ID_BYTES = 48
/** The highest epoch for which the server returns archive keys. */
const EPOCH_MAX = 999_999_999

/** The most keys kept for one epoch. The server returns fewer; the rest is for keys from earlier answers. */
const KEYS_MAX = 16

/** What the names of the rows with epoch keys begin with: their group's id follows. */
export const EPOCH_ROWS = 'epoch:'
const rowOf = ({ groupId, epoch }: EpochName) => `${EPOCH_ROWS}${groupId}:${epoch}`
const restOf = (place: EpochName) => `${rowOf(place)}:rest`

/**
 * Seals an epoch's archive key to one account's history key. Returns undefined if that account keeps no history, or announces a
 * key that nothing can be sealed to [Note: H1].
 */
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

/**
 * Opens sealed archive keys with the account's history keys and stores them. Skips keys that do not open. Stores all keys of one
 * epoch: the seals do not prove who made them, so only a message shows which key is right [Note: H1].
 */
export async function keepArchiveKeys(live: Live, keys: ArchiveKey[], chatRoomId?: string): Promise<void> {
  const opened = await Promise.all(keys.map(async (key) => ({ place: key, bytes: await openArchiveKey(live, key) })))
  await keepEpochKeys(
    live,
    opened.flatMap(({ place, bytes }) => (bytes ? [{ place, bytes }] : [])),
    chatRoomId,
  )
}

/** Stores these candidates for the archive keys of epochs beside those that are here, and none for an epoch whose key was derived. */
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
      // A key that this device derived itself is right, so sealed ones cannot replace it.
      if ((await live.vault.get('sealed', rowOf(place)))?.json === 'derived') return []
      // Newest first, so that the oldest are cut off above the maximum.
      const all = distinct([...found, ...(await archiveKeysHeld(live, place))]).slice(0, KEYS_MAX)
      return candidateWrites(place, all, chatRoomId)
    }),
  )
  await live.vault.write(writes.flat())
}

const distinct = (keys: Uint8Array[]): Uint8Array[] =>
  keys.filter((key, at) => !keys.slice(0, at).some((earlier) => sameBytes(earlier, key)))

/** The changes that store an epoch's keys: the first in the epoch's row, the others concatenated in a second row. */
function candidateWrites(place: EpochName, [first, ...rest]: Uint8Array[], chatRoomId: string | undefined): Write[] {
  const writeOf = (key: string, bytes: Uint8Array): Write => ({
    store: 'sealed',
    key,
    value: { json: null, bytes },
    ...(chatRoomId !== undefined && { chatRoomId }),
  })
  return [...(first ? [writeOf(rowOf(place), first)] : []), ...(rest.length > 0 ? [writeOf(restOf(place), concat(...rest))] : [])]
}

/** The change that stores an archive key which this device derived from the room's MLS state. */
export const derivedKeyWrite = (chatRoomId: string, place: EpochName, bytes: Uint8Array): Write => ({
  store: 'sealed',
  key: rowOf(place),
  value: { json: 'derived', bytes },
  chatRoomId,
})

/**
 * Opens a sealed archive key. Returns undefined if the committer sealed garbage: the messages then show that their key is
 * missing.
 */
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

/** The archive key of an epoch that this device derived itself, else the newest one sealed to the account, which may be wrong. */
export const archiveKeyHeld = async (live: Live, place: EpochName): Promise<Uint8Array | undefined> =>
  (await live.vault.get('sealed', rowOf(place)))?.bytes

/** All candidates for the archive key of an epoch. */
export async function archiveKeysHeld(live: Live, place: EpochName): Promise<Uint8Array[]> {
  const [first, rest] = await Promise.all([live.vault.get('sealed', rowOf(place)), live.vault.get('sealed', restOf(place))])
  if (!first?.bytes) return []
  if (first.json === 'derived' || !rest?.bytes) return [first.bytes]
  const { bytes } = rest
  const count = Math.floor(bytes.length / KEY_BYTES)
  return [first.bytes, ...Array.from({ length: count }, (_, at) => bytes.slice(at * KEY_BYTES, (at + 1) * KEY_BYTES))]
}

/** A message as the server returned it, before anything is verified. */
export type Sent = Pick<Message, 'id' | 'seq' | 'senderId' | 'content' | 'createdAt'>

export interface Read {
  senderId: string
  body: StoredBody
  /** The signed statement and its device; absent unless the signature is valid. */
  proof?: { statement: Frame; deviceId: string }
  flags?: MessageFlags
}

/** The context of reading messages. The caller sets the room, whatever room id the server put beside the message. */
export interface Reading {
  live: Live
  chatRoomId: string
  accounts: MemberAccounts
  /** The device lists that the room's commits name: they decide whose signatures are accepted, and up to which seq. */
  record: Pick<RoomRecord, 'named'>
}

/** Reads a message by its archive key. Returns the envelope itself while that key is missing or wrong. */
export async function readByArchive(at: Reading, envelope: Envelope, message: Sent, key?: Uint8Array): Promise<Read> {
  // No room has such a group id or epoch, so the server is not asked for a key.
  if (fromBase64(envelope.groupId).length !== GROUP_ID_BYTES || envelope.epoch > EPOCH_MAX)
    return unreadable(message, new CryptoFailure('place', 'It was sealed for no chat'))
  for (const archiveKey of key ? [key] : await archiveKeysHeld(at.live, envelope)) {
    try {
      return readOpened(at, await openByArchive(archiveKey, envelope), message)
    } catch (error) {
      // Another of the keys may fit. Whatever else is wrong, no key mends it.
      if (!(error instanceof CryptoFailure) || error.code !== 'archive_key') return unreadable(message, error)
    }
  }
  return { senderId: message.senderId, body: { kind: 'sealed', envelope: message.content } }
}

/**
 * Reads a message that is not in a known envelope: plain text, which any client could have posted, or an envelope of an unknown
 * version, which is stored unchanged and never shown as text.
 */
export function readUnsealed({ senderId, content }: Sent): Read {
  const version = envelopeVersion(content)
  if (version !== undefined && !isKnownVersion(version)) return { senderId, body: { kind: 'newer', kept: { envelope: content } } }
  if (version !== undefined) return unreadable({ senderId }, new CryptoFailure('envelope', 'The message is damaged'))
  if (content.length <= LIMITS.contentBytes) return { senderId, body: { kind: 'plain', text: content } }
  return unreadable({ senderId }, new CryptoFailure('too_large', 'It is longer than a message can be'))
}

/**
 * Accepts an opened message if a member's account signed it, for this room, by a device that the room did not know as removed.
 * Every message is checked here, whether MLS or the archive opened it: HPKE does not authenticate the sealer, so this signature
 * is the only proof of the author of a message that the archive opened [Note: H3].
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
  const body: StoredBody = content ? { kind: 'content', content, ...(!isWhole && { kept }) } : { kind: 'newer', kept }
  const flags: MessageFlags = {
    ...(standing === 'removed_since' && { isRemovedSince: true }),
    ...sentFar(statement.sentAt, message.createdAt),
  }
  return { senderId: sender.userId, body, proof: { statement, deviceId }, flags }
}

/** The author's time is shown beside the server's if they differ by this much. */
const FAR_MS = 10 * 60_000

/**
 * The time that the author signed, if the server's differs by 10 minutes or more: an old message must not pass for a new one
 * [Note: H3].
 */
export const sentFar = (sentAt: string, createdAt: string): Pick<MessageFlags, 'sentAt'> =>
  Math.abs(Date.parse(sentAt) - Date.parse(createdAt)) >= FAR_MS ? { sentAt } : {}

/** Turns a CryptoFailure into an unreadable message that shows it; any other error is a bug and is thrown on. */
export function unreadable(message: Pick<Sent, 'senderId'>, error: unknown): Read {
  if (!(error instanceof CryptoFailure)) throw error
  return { senderId: message.senderId, body: { kind: 'unreadable', reason: error.message } }
}

/** The epochs whose archive keys this device still needs to read these messages. */
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
