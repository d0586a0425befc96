import { sameBytes } from '../../../contract/ground/bytes.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { exclusive, exclusiveIfFree } from '../vault/exclusive.ts'
import { type RoomRecord, recordWrite, roomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'
import { accountKeysOf, type MemberAccounts, memberAccounts } from './members.ts'
import { type Group, readGroup, writeGroup } from './mls.ts'

/** A room and its other members. */
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

/** Runs `work` alone in a room, across tabs. Locks of book and outbox are taken inside this one. */
export const inRoom = <T>(live: Live, chatRoomId: string, work: () => Promise<T>): Promise<T> =>
  exclusive(lockOf(live, chatRoomId), work)

/**
 * Reads a room's state inside its lock, across tabs, so that `work` can write the next state before another tab reads [Note: V1].
 * Throws CryptoFailure('place') if the room's id does not match these people.
 */
export function withRoom<T>(live: Live, chatRoomId: string, peerIds: string[], work: (room: OpenRoom) => Promise<T>): Promise<T> {
  return inRoom(live, chatRoomId, () => openedRoom(live, { chatRoomId, peerIds }, work))
}

/** The same if no other step or tab is at work in this room; else undefined, at once. */
export const withFreeRoom = <T>(live: Live, place: Place, work: (room: OpenRoom) => Promise<T>): Promise<T | undefined> =>
  exclusiveIfFree(lockOf(live, place.chatRoomId), () => openedRoom(live, place, work))

async function openedRoom<T>(live: Live, { chatRoomId, peerIds }: Place, work: (room: OpenRoom) => Promise<T>): Promise<T> {
  if (!isRoomOf(chatRoomId, live.userId, peerIds))
    throw new CryptoFailure('place', 'The server names another person’s chat for this contact')
  try {
    return await work(await readRoom(live, chatRoomId, peerIds))
  } catch (error) {
    // A state that has sealed and was not stored is spent, so the next one is read from the vault [Note: M6].
    decodedOf(live).delete(chatRoomId)
    throw error
  }
}

/**
 * True if the direct room's id names exactly these two members. Other rooms have no member list yet that the server cannot
 * change.
 */
const isRoomOf = (chatRoomId: string, ownId: string, [peerId, ...more]: string[]): boolean =>
  peerId !== undefined && more.length === 0 && chatRoomId === directRoomId(ownId, peerId)

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

/**
 * Decodes the MLS state from the vault's bytes, because another tab may have changed them. If it cannot be read, this device
 * enters the room again [Note: R4].
 */
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

/** Stores a room's record and MLS state, with the text that was opened or sealed by that state, in one transaction. */
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

/** The changes that give up the MLS state: this device then reads the room by the archive until it enters again. */
export const outsideWrites = (chatRoomId: string, record: RoomRecord): Write[] => [
  recordWrite(chatRoomId, { ...record, standing: 'outside' }),
  stateForgotten(chatRoomId),
]

export const stateForgotten = (chatRoomId: string): Write => ({ store: 'groups', key: chatRoomId, value: null })

/** Forgets the decoded state of a room that is locked. */
export const forgetDecoded = (live: Live, chatRoomId: string): void => void decodedOf(live).delete(chatRoomId)
