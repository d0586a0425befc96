import { sameBytes } from '../../contract/bytes.ts'
import type { Content } from '../../contract/content.ts'
import { directRoomId } from '../../contract/shapes.ts'
import { exclusive } from './exclusive.ts'
import { CryptoFailure } from './failure.ts'
import type { Live } from './live.ts'
import { type Group, readGroup, writeGroup } from './mls.ts'
import { accountsOf, type Pair, pairOf } from './peers.ts'
import type { Transcript } from './transcript.ts'
import type { Write } from './vault.ts'

/** A room and the other person in it. */
export interface Place {
  chatRoomId: string
  peerId: string
}

export interface EpochName {
  groupId: string
  epoch: number
}

/** Messages that wait for the archive key of their epoch: they lie between these places. */
export interface Waiting extends EpochName {
  first: number
  last: number
}

/** Where this device stands in one room. Kept beside the MLS state, which is large, and written with it. */
export interface RoomRecord {
  generation: number
  /** base64; null before the first group. */
  groupId: string | null
  /** `joined`: the MLS state here follows the log. `outside`: messages are read by the archive until this device sends. */
  standing: 'joined' | 'outside'
  /** The newest epoch of the group that this device has proof of: older ones are not entered again [Note: R4]. */
  epoch: number
  /** The last place of the log that this device has passed. */
  cursor: number
  /** Every message from here to the cursor is in the vault. */
  from: number
  /** What this device saw since the last commit; absent where it came in behind it [Note: M5]. */
  transcript?: Transcript | undefined
  lastCommitAt: string
  /** Own messages since the last commit; false after a commit without a path [Note: R7]. */
  ownMessages: number
  isHealed: boolean
  waiting: Waiting[]
  /** Epochs that somebody else's commit started and whose archive key was not looked at yet [Note: H1]. */
  unaudited: EpochName[]
}

export type StoredBody =
  | { kind: 'content'; content: Content }
  | { kind: 'plain'; text: string }
  /** Waits for its archive key: the envelope is kept as it came. */
  | { kind: 'sealed'; envelope: string }
  | { kind: 'unreadable'; reason: string }
  | { kind: 'notice'; text: string }

/** A message as the vault keeps it. */
export interface StoredMessage {
  id: string
  chatRoomId: string
  seq: number
  /** The user whom the signature proves; the server's word only for plain and unreadable messages. */
  senderId: string
  /** The server's time, ISO 8601. */
  at: string
  body: StoredBody
  /** The running hash behind it, where this device knows it [Note: M5]. */
  hash?: string
  /** Of one that waits for its key: what this device had seen before it. */
  transcript?: Transcript
  /** The sender saw another log than this device: the server dropped or reordered messages before it [Note: M5]. */
  isOutOfPlace?: true
}

export interface OpenRoom {
  record: RoomRecord | undefined
  group: Group | undefined
  pair: Pair
}

/** Runs alone in a room, across tabs. The locks of book and outbox are taken inside this one. */
export const inRoom = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(`conclave/${live.userId}/${chatRoomId}`, work)

/**
 * Reads a room's state inside its lock, across tabs, and lets `work` write the next one before anybody else reads [Note: V1].
 * Throws CryptoFailure('place') where the room is not the one of these two people.
 */
export function withRoom<T>(live: Live, chatRoomId: string, peerId: string, work: (room: OpenRoom) => Promise<T>): Promise<T> {
  return inRoom(live, chatRoomId, async () => {
    if (chatRoomId !== directRoomId(live.userId, peerId))
      throw new CryptoFailure('place', "The server names another person's room for this contact")
    try {
      return await work(await readRoom(live, chatRoomId, peerId))
    } catch (error) {
      // A state that has sealed and was not stored is spent: the next one is read from the vault [Note: M6].
      decodedOf(live).delete(chatRoomId)
      throw error
    }
  })
}

async function readRoom(live: Live, chatRoomId: string, peerId: string): Promise<OpenRoom> {
  const [record, state, pair] = await Promise.all([
    roomRecord(live, chatRoomId),
    live.vault.get('groups', chatRoomId),
    pairOf(live, peerId),
  ])
  const isJoined = record?.standing === 'joined'
  return { record, group: isJoined && state?.bytes ? decoded(live, chatRoomId, state.bytes, pair) : undefined, pair }
}

const ROOMS_DECODED = 16
const decodings = new WeakMap<Live, Map<string, { bytes: Uint8Array; group: Group }>>()

function decodedOf(live: Live): Map<string, { bytes: Uint8Array; group: Group }> {
  const known = decodings.get(live) ?? new Map()
  decodings.set(live, known)
  return known
}

function keepDecoded(live: Live, chatRoomId: string, bytes: Uint8Array, group: Group): void {
  const known = decodedOf(live)
  known.delete(chatRoomId)
  known.set(chatRoomId, { bytes, group })
  const oldest = known.keys().next()
  if (known.size > ROOMS_DECODED && !oldest.done) known.delete(oldest.value)
}

/** The vault's bytes decide: another tab may have moved the room on. A state that cannot be read is entered anew [Note: R4]. */
function decoded(live: Live, chatRoomId: string, bytes: Uint8Array, pair: Pair): Group | undefined {
  const known = decodedOf(live).get(chatRoomId)
  if (known && sameBytes(known.bytes, bytes)) return known.group
  try {
    const group = readGroup(bytes, accountsOf(pair))
    keepDecoded(live, chatRoomId, bytes, group)
    return group
  } catch (error) {
    if (error instanceof CryptoFailure) return undefined
    throw error
  }
}

/** Stores a room's record and MLS state, with what was opened or sealed by that state, in one transaction. */
export async function storeRoom(
  live: Live,
  chatRoomId: string,
  { record, group }: { record: RoomRecord; group: Group | undefined },
  writes: Write[] = [],
): Promise<void> {
  const state = record.standing === 'joined' ? group : undefined
  if (state && decodedOf(live).get(chatRoomId)?.group === state)
    return live.vault.write([...writes, recordWrite(chatRoomId, record)])
  const bytes = state && writeGroup(state)
  decodedOf(live).delete(chatRoomId)
  await live.vault.write([
    ...writes,
    recordWrite(chatRoomId, record),
    { store: 'groups', key: chatRoomId, value: bytes ? { json: null, bytes } : null },
  ])
  if (bytes) keepDecoded(live, chatRoomId, bytes, state)
}

const recordKey = (chatRoomId: string) => `room:${chatRoomId}`

/** Where this device stands in a room, or undefined before it met it. */
export async function roomRecord({ vault }: Live, chatRoomId: string): Promise<RoomRecord | undefined> {
  return (await vault.get('sealed', recordKey(chatRoomId)))?.json as RoomRecord | undefined
}

/** Where this device stands in each room that it has met. */
export async function roomRecords({ vault }: Live): Promise<Map<string, RoomRecord>> {
  const rows = await vault.named(recordKey(''))
  return new Map(rows.map(({ key, value }) => [key.slice(recordKey('').length), value.json as RoomRecord]))
}

export const recordWrite = (chatRoomId: string, record: RoomRecord): Write => ({
  store: 'sealed',
  key: recordKey(chatRoomId),
  value: { json: record },
})

/** The changes that give up the MLS state: the room is read by the archive until this device enters again. */
export const outsideWrites = (chatRoomId: string, record: RoomRecord): Write[] => [
  recordWrite(chatRoomId, { ...record, standing: 'outside' }),
  { store: 'groups', key: chatRoomId, value: null },
]
