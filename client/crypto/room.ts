import type { Content } from '../../contract/content.ts'
import { exclusive } from './exclusive.ts'
import type { Live } from './live.ts'
import { type Group, readGroup, writeGroup } from './mls.ts'
import { pairOf } from './peers.ts'
import type { Write } from './vault.ts'

/** Where this device stands in one room. Kept beside the MLS state, which is large, and written with it. */
export interface RoomRecord {
  generation: number
  /** base64; null before the first group. */
  groupId: string | null
  /** `joined`: the MLS state here follows the log. `outside`: messages are read by the archive until this device sends. */
  standing: 'joined' | 'outside'
  /** The last place of the log that this device has passed. */
  cursor: number
  /** Every message from here to the cursor is in the vault. */
  from: number
  /** Running hash of envelopes since the last commit, base64 [Note: M5]. */
  runningHash: string
  lastCommitAt: string
  /** Own messages since the last commit; false after a commit without a path [Note: R7]. */
  ownMessages: number
  isHealed: boolean
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
}

export interface OpenRoom {
  record: RoomRecord | undefined
  group: Group | undefined
}

const lockOf = (live: Live, chatRoomId: string) => `conclave/${live.userId}/${chatRoomId}`

/** Reads a room's state inside its lock, across tabs, and lets `work` write the next one before anybody else reads [Note: V1]. */
export function withRoom<T>(live: Live, chatRoomId: string, peerId: string, work: (room: OpenRoom) => Promise<T>): Promise<T> {
  return exclusive(lockOf(live, chatRoomId), async () => work(await readRoom(live, chatRoomId, peerId)))
}

async function readRoom(live: Live, chatRoomId: string, peerId: string): Promise<OpenRoom> {
  const record = await roomRecord(live, chatRoomId)
  if (record?.standing !== 'joined') return { record, group: undefined }
  const [state, { self, peer }] = await Promise.all([live.vault.get('groups', chatRoomId), pairOf(live, peerId)])
  return { record, group: state?.bytes && readGroup(state.bytes, [self.identityKey, peer.identityKey]) }
}

const recordKey = (chatRoomId: string) => `room:${chatRoomId}`

/** Where this device stands in a room, or undefined before it met it. */
export async function roomRecord({ vault }: Live, chatRoomId: string): Promise<RoomRecord | undefined> {
  return (await vault.get('sealed', recordKey(chatRoomId)))?.json as RoomRecord | undefined
}

/** Gives up the MLS state of a room: it is read by the archive until this device enters again. */
export function leaveRoom(live: Live, chatRoomId: string): Promise<void> {
  return exclusive(lockOf(live, chatRoomId), async () => {
    const record = await roomRecord(live, chatRoomId)
    if (record) await live.vault.write(roomWrites(chatRoomId, { ...record, standing: 'outside' }, undefined))
  })
}

export const recordWrite = (chatRoomId: string, record: RoomRecord): Write => ({
  store: 'sealed',
  key: recordKey(chatRoomId),
  value: { json: record },
})

/** The writes that store a room's record and MLS state: in one transaction, with what was opened by that state. */
export const roomWrites = (chatRoomId: string, record: RoomRecord, group: Group | undefined): Write[] => [
  recordWrite(chatRoomId, record),
  {
    store: 'groups',
    key: chatRoomId,
    value: group && record.standing === 'joined' ? { json: null, bytes: writeGroup(group) } : null,
  },
]

export const messageWrite = (message: StoredMessage): Write => ({
  store: 'messages',
  key: [message.chatRoomId, message.seq],
  value: { json: message },
})

/** A page of what the vault holds of a room, oldest first, and whether older ones must come from the server. */
export async function pageOf(
  live: Live,
  input: { chatRoomId: string; before?: number; after?: number; limit: number },
): Promise<{ messages: StoredMessage[]; from: number }> {
  const record = await roomRecord(live, input.chatRoomId)
  const from = record?.from ?? Number.POSITIVE_INFINITY
  const rows = await live.vault.page('messages', input.chatRoomId, {
    limit: input.limit,
    ...(input.before !== undefined && { before: input.before }),
    ...(input.after !== undefined && { after: input.after }),
  })
  return {
    messages: rows.map(({ value }) => value.json as StoredMessage).filter((message) => message.seq >= from),
    from: record?.from ?? 0,
  }
}
