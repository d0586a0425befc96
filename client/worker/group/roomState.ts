import { sameBytes } from '../../../contract/ground/bytes.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { exclusive, exclusiveIfFree } from '../vault/exclusive.ts'
import { type RoomRecord, recordWrite, roomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'
import { accountKeysOf, type MemberAccounts, memberAccounts } from './members.ts'
import { type Group, readGroup, writeGroup } from './mls.ts'

/** `peerIds`: the other members. */
export interface Place {
  chatRoomId: string
  peerIds: string[]
}

export interface OpenRoom {
  record: RoomRecord | undefined
  group: Group | undefined
  accounts: MemberAccounts
}

const lockOf = (live: Live, chatRoomId: string): string => `conclave/${live.userId}/${chatRoomId}`

/** Locks across tabs. Take the locks of book and outbox inside this one [Note: V1]. */
export const inRoom = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(lockOf(live, chatRoomId), work)

/**
 * Locks across tabs: `work` stores the next state before another tab reads [Note: V1]. Throws 'place' if the id is not these
 * people's.
 */
export function withRoom<T>(live: Live, chatRoomId: string, peerIds: string[], work: (room: OpenRoom) => Promise<T>): Promise<T> {
  return inRoom(live, chatRoomId, () => openedRoom(live, { chatRoomId, peerIds }, work))
}

/** undefined, at once, if the lock is taken. */
export const withFreeRoom = <T>(live: Live, place: Place, work: (room: OpenRoom) => Promise<T>): Promise<T | undefined> =>
  exclusiveIfFree(lockOf(live, place.chatRoomId), () => openedRoom(live, place, work))

/** Reads without the lock, for what changes nothing. Throws 'place'. */
export async function peekRoom(live: Live, { chatRoomId, peerIds }: Place): Promise<OpenRoom> {
  requirePlace(live, chatRoomId, peerIds)
  return readRoom(live, chatRoomId, peerIds)
}

async function openedRoom<T>(live: Live, { chatRoomId, peerIds }: Place, work: (room: OpenRoom) => Promise<T>): Promise<T> {
  requirePlace(live, chatRoomId, peerIds)
  try {
    return await work(await readRoom(live, chatRoomId, peerIds))
  } catch (error) {
    // Unstored states that have sealed are spent [Note: M6].
    decodedOf(live).delete(chatRoomId)
    throw error
  }
}

function requirePlace(live: Live, chatRoomId: string, peerIds: string[]): void {
  if (!isRoomOf(chatRoomId, live.userId, peerIds))
    throw new CryptoFailure('place', 'The server names another person’s chat for this contact')
}

/** Only direct rooms, and the one for notes: others have no member list that the server cannot change. */
const isRoomOf = (chatRoomId: string, ownId: string, [peerId = ownId, ...more]: string[]): boolean =>
  more.length === 0 && chatRoomId === directRoomId(ownId, peerId)

async function readRoom(live: Live, chatRoomId: string, peerIds: string[]): Promise<OpenRoom> {
  const [record, state, accounts] = await Promise.all([
    roomRecord(live.vault, chatRoomId),
    live.vault.get('groups', chatRoomId),
    memberAccounts(live, peerIds),
  ])
  const isJoined = record?.standing === 'joined'
  return { record, group: isJoined && state?.bytes ? decoded(live, chatRoomId, state.bytes, accounts) : undefined, accounts }
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

/** Another tab may have changed the bytes. undefined: unreadable, so this device enters again [Note: R4]. */
function decoded(live: Live, chatRoomId: string, bytes: Uint8Array, accounts: MemberAccounts): Group | undefined {
  const known = decodedOf(live).get(chatRoomId)
  if (known && sameBytes(known.bytes, bytes)) return known.group
  try {
    const group = readGroup(bytes, accountKeysOf(accounts))
    keepDecoded(live, chatRoomId, bytes, group)
    return group
  } catch (error) {
    if (error instanceof CryptoFailure) return undefined
    throw error
  }
}

/** Writes in one transaction. `writes`: the text that the state opened or sealed. */
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

/** Gives up the MLS state: this device reads by the archive until it enters again. */
export const outsideWrites = (chatRoomId: string, record: RoomRecord): Write[] => [
  recordWrite(chatRoomId, { ...record, standing: 'outside' }),
  stateForgotten(chatRoomId),
]

export const stateForgotten = (chatRoomId: string): Write => ({ store: 'groups', key: chatRoomId, value: null })

/** Call it when a chat is locked. */
export const forgetDecoded = (live: Live, chatRoomId: string): void => void decodedOf(live).delete(chatRoomId)
