import { parseEnvelope } from '../../../contract/chat/envelope.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { groupIdHolds } from '../group/groupid.ts'
import { forgetDecoded, inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { type ChatLock, pinIn, readBook } from '../lists/book.ts'
import { isDue, isOn, locksToFollow, type SeenPasswords } from '../lists/chatlocks.ts'
import { seenIn } from '../lists/generations.ts'
import { EPOCH_ROWS } from '../messages/archive.ts'
import { ownRow, withOutbox } from '../messages/outbox.ts'
import { forgetIndex } from '../searchindex/searchindex.ts'
import { dropRoomTransfers } from '../transfers/dropping.ts'
import { dropFiles, WAITING } from '../vault/disk.ts'
import { exclusive } from '../vault/exclusive.ts'
import { isRoomLocked, LOCKS, MANY_KINDS, type RoomLock, type RowKeys, SEARCH_KINDS, SINGLE_KINDS } from '../vault/roomlocks.ts'
import { type RoomRecord, roomRecord, roomRecords } from '../vault/storedRoom.ts'
import type { Vault, Write } from '../vault/vault.ts'
import type { KeyOf, VaultStore, VaultValue } from '../vault/vaultRows.ts'
import { uploadId, uploadsIn } from '../vault/waitingFiles.ts'
import { isDropped, newRowKey, openRowKeys } from './chatkeys.ts'

// Row keys lie inside the vault's seal. The lock is written first and each step can repeat: a crash leaves the room shut.

export const CHUNK = 100

export type Name = { [S in VaultStore]: { store: S; key: KeyOf[S] } }[VaultStore]

/** Moves rows to the book's locks; returns the changed rooms. */
export async function followLocks(live: Live, seen: SeenPasswords): Promise<string[]> {
  const { book } = await readBook(live)
  const rooms = locksToFollow(book, await live.vault.locks(), seen)
  for (const chatRoomId of rooms) await followLock(live, chatRoomId, seen[chatRoomId])
  return rooms
}

export const followLock = (live: Live, chatRoomId: string, hasPassword: boolean | undefined): Promise<void> =>
  inRoom(live, chatRoomId, () => withOutbox(live, chatRoomId, () => follow(live, chatRoomId, hasPassword)))

/** Call inside the locks of room and outbox. */
async function follow(live: Live, chatRoomId: string, hasPassword: boolean | undefined): Promise<void> {
  const { book } = await readBook(live)
  const held = await live.vault.locks()
  const [entry, lock] = [book.locks?.[chatRoomId], held[chatRoomId]]
  if (!entry || !isDue(entry, lock, hasPassword)) return
  if (isOn(entry)) {
    if (!lock && !hasPassword) return claimRoom(live, chatRoomId, entry)
    return sealRoom(live, chatRoomId, entry)
  }
  if (lock?.isClaim) return putLock(live, chatRoomId, undefined)
  if (entry.kind === 'off' && lock) return openForGood(live, chatRoomId, entry, lock)
  await wipeRoom(live, chatRoomId)
}

/** Seals nothing: a thief could have written the key. */
async function claimRoom(live: Live, chatRoomId: string, { n, data: [publicKey = ''] }: ChatLock): Promise<void> {
  await putLock(live, chatRoomId, { n, publicKey, rowKeys: [], isSealed: false, isClaim: true })
  live.vault.openRoom(chatRoomId, null)
  forgetDecoded(live, chatRoomId)
}

/** A new row key, because no older key is in memory. */
async function sealRoom(live: Live, chatRoomId: string, { n, gone, data: [publicKey = ''] }: ChatLock): Promise<void> {
  const before = (await live.vault.locks())[chatRoomId]
  const { key, kept } = await newRowKey(live, chatRoomId, publicKey)
  // A thief may have written it, so only the password deletes.
  const givenUpKeys = before && before.n < gone ? before.rowKeys.length : (before?.givenUpKeys ?? 0)
  const lock: RoomLock = {
    ...{ n, publicKey, rowKeys: [...(before?.rowKeys ?? []), kept], isSealed: false },
    ...(before?.proven && { proven: before.proven }),
    ...(givenUpKeys > 0 && { givenUpKeys }),
  }
  await putLock(live, chatRoomId, lock)
  live.vault.openRoom(chatRoomId, null)
  forgetDecoded(live, chatRoomId)
  const keys: RowKeys = [...(before?.rowKeys ?? []).map(() => undefined), key]
  const within = live.vault.within(chatRoomId, keys)
  await dropSearch(live.vault, chatRoomId)
  await rewrite(within, await namesOf({ ...live, vault: within }, chatRoomId), chatRoomId)
  await putLock(live, chatRoomId, { ...lock, isSealed: true })
}

/** The book has the seeds; the rows are sealed as in other rooms. */
async function openForGood(live: Live, chatRoomId: string, { data: [, ...seeds] }: ChatLock, lock: RoomLock): Promise<void> {
  const keys = await openRowKeys(live, chatRoomId, lock.rowKeys, seeds.map(fromBase64))
  // Some row does not open: the server has it still.
  if (lock.rowKeys.some((kept, at) => !keys[at] && !isDropped(kept))) return wipeRoom(live, chatRoomId)
  // Other tabs stop writing under this lock.
  await putLock(live, chatRoomId, { ...lock, isOff: true })
  const within = live.vault.within(chatRoomId, keys)
  await rewrite(
    within,
    [...(await roomNames(live.vault, chatRoomId)), ...(await lockedNames(live.vault, chatRoomId))],
    chatRoomId,
  )
  await putLock(live, chatRoomId, undefined)
  live.vault.openRoom(chatRoomId, null)
}

/** Deletes a room's data and lock. */
export async function wipeRoom(live: Live, chatRoomId: string): Promise<void> {
  const { vault } = live
  const names = [
    ...(await roomNames(vault, chatRoomId)),
    ...(await lockedNames(vault, chatRoomId)),
    ...(await unsealedOwn(live, chatRoomId)),
  ]
  await dropRoomTransfers(live, chatRoomId)
  const uploads = await vault.keys('sealed', uploadsIn(chatRoomId))
  await Promise.all(uploads.map((key) => dropFiles(live.userId, WAITING, uploadId(key))))
  await dropSearch(vault, chatRoomId)
  for (let at = 0; at < names.length; at += CHUNK)
    await vault.write(names.slice(at, at + CHUNK).map((name): Write => ({ ...name, value: null })))
  await dropFiles(live.userId, chatRoomId)
  await putLock(live, chatRoomId, undefined)
  vault.openRoom(chatRoomId, null)
  forgetDecoded(live, chatRoomId)
}

export const putLock = ({ userId, vault }: Live, chatRoomId: string, lock: RoomLock | undefined): Promise<void> =>
  exclusive(`conclave/${userId}/locks`, async () => {
    const { [chatRoomId]: _, ...others } = await vault.locks()
    const locks = lock ? { ...others, [chatRoomId]: lock } : others
    await vault.write([{ store: 'sealed', key: LOCKS, value: { json: locks } }])
  })

/** Rows under another key stay sealed. */
async function rewrite(within: Vault, names: Name[], chatRoomId: string): Promise<void> {
  for (let at = 0; at < names.length; at += CHUNK) {
    const rows = await Promise.all(
      names.slice(at, at + CHUNK).map(async (name) => ({ name, value: await unsealed(within, name) })),
    )
    await within.write(
      rows.flatMap(({ name, value }): Write[] =>
        value ? [{ ...name, value: withRoom(name, value, chatRoomId), chatRoomId }] : [],
      ),
    )
  }
}

/** Own messages name their room from now on. */
const withRoom = ({ store }: Name, { json, ...rest }: VaultValue, chatRoomId: string): VaultValue =>
  store === 'own' && typeof json === 'object' ? { json: { ...json, chatRoomId }, ...rest } : { json, ...rest }

/** Returns undefined without a row or the row's key. */
export async function unsealed(vault: Vault, { store, key }: Name): Promise<VaultValue | undefined> {
  try {
    return await vault.get(store, key)
  } catch (error) {
    if (isRoomLocked(error)) return undefined
    throw error
  }
}

export async function roomNames(vault: Vault, chatRoomId: string): Promise<Name[]> {
  const [messages, outbox] = [await vault.keys('messages', chatRoomId), await vault.keys('outbox', chatRoomId)]
  const many = (await Promise.all(MANY_KINDS.map((kind) => vault.keys('sealed', `${kind}:${chatRoomId}:`)))).flat()
  return [
    ...many.map((key): Name => ({ store: 'sealed', key })),
    ...SINGLE_KINDS.map((kind): Name => ({ store: 'sealed', key: `${kind}:${chatRoomId}` })),
    { store: 'groups', key: chatRoomId },
    ...outbox.map((key): Name => ({ store: 'outbox', key })),
    ...messages.map((key): Name => ({ store: 'messages', key })),
  ]
}

/** Own messages and epoch keys do not name their room. */
export async function lockedNames(vault: Vault, chatRoomId: string): Promise<Name[]> {
  const closed = vault.within(chatRoomId, [])
  const names = await nameless(vault)
  const isLocked = async ({ store, key }: Name) => {
    try {
      await closed.get(store, key)
      return false
    } catch (error) {
      if (isRoomLocked(error)) return (error as Error).cause === chatRoomId
      throw error
    }
  }
  const found = await Promise.all(names.map(async (name) => ((await isLocked(name)) ? [name] : [])))
  return found.flat()
}

/** For a room that was never sealed. */
async function unsealedOwn(live: Live, chatRoomId: string): Promise<Name[]> {
  const names = (await live.vault.keys('own')).map((key) => ({ store: 'own' as const, key }))
  const isOurs = async (name: Name & { store: 'own' }) =>
    (await unsealed(live.vault, name)) !== undefined && (await ownRow(live, name.key))?.chatRoomId === chatRoomId
  return (await Promise.all(names.map(async (name) => ((await isOurs(name)) ? [name] : [])))).flat()
}

const nameless = async (vault: Vault): Promise<Name[]> => [
  ...(await vault.keys('own')).map((key): Name => ({ store: 'own', key })),
  ...(await vault.keys('sealed', EPOCH_ROWS)).map((key): Name => ({ store: 'sealed', key })),
]

/** Deletes epoch keys of unknown rooms: the server has these keys. */
async function namesOf(within: Live, chatRoomId: string): Promise<Name[]> {
  const { vault } = within
  const groups = await groupsOf(within, chatRoomId)
  const orders = new Set((await vault.keys('outbox', chatRoomId)).map(([, order]) => order))
  const names = await roomNames(vault, chatRoomId)
  const lost: Write[] = []
  for (const name of await nameless(vault)) {
    if (!(await unsealed(vault, name))) continue
    if (name.store === 'own') {
      const own = await ownRow(within, name.key)
      const group = own?.envelope ? parseEnvelope(own.envelope)?.groupId : undefined
      const isOurs =
        own?.chatRoomId === undefined ? orders.has(own?.order ?? 0) || groups.isOurs(group) : own.chatRoomId === chatRoomId
      if (isOurs) names.push(name)
      continue
    }
    const group = String(name.key).slice(EPOCH_ROWS.length).split(':')[0]
    if (groups.isOurs(group)) names.push(name)
    else if (!groups.isOfAnother(group)) lost.push({ ...name, value: null } as Write)
  }
  if (lost.length > 0) await vault.write(lost)
  return names
}

/** A group id is a hash over the room, so old ids are recomputed. */
async function groupsOf(live: Live, chatRoomId: string) {
  const row = await readBook(live)
  const records = await roomRecords(live.vault)
  // After an interruption the record may be sealed: the hash alone decides.
  const isSealed = (await unsealed(live.vault, { store: 'sealed', key: `room:${chatRoomId}` })) === undefined
  const record = isSealed ? undefined : await roomRecord(live.vault, chatRoomId)
  const named = (one: RoomRecord | undefined) =>
    one ? [one.groupId, one.log?.groupId, ...[...one.waiting, ...one.unaudited].map(({ groupId }) => groupId)] : []
  const ours = new Set(named(record))
  const others = new Set([...records].flatMap(([room, one]) => (room === chatRoomId ? [] : named(one))))
  const isOfRoom = (group: string, userId: string) => {
    const room = directRoomId(live.userId, userId)
    const pin = pinIn(row, userId)
    const newest = Math.max(seenIn(row.book, room).generation, records.get(room)?.generation ?? 0)
    const isOf = (generation: number) =>
      pin !== undefined && groupIdHolds(fromBase64(group), room, generation, [live.identityKey, pin])
    return Array.from({ length: newest }, (_, at) => at + 1).some(isOf)
  }
  const people = Object.keys(row.book.pins)
  const peerId = people.find((id) => directRoomId(live.userId, id) === chatRoomId)
  const isOurs = (group: string | undefined): boolean => {
    if (group === undefined) return false
    if (!ours.has(group) && !others.has(group) && peerId !== undefined && isOfRoom(group, peerId)) ours.add(group)
    return ours.has(group)
  }
  const isOfAnother = (group: string | undefined): boolean => {
    if (group === undefined) return false
    if (!others.has(group) && people.some((id) => id !== peerId && isOfRoom(group, id))) others.add(group)
    return others.has(group)
  }
  return { isOurs, isOfAnother }
}

async function dropSearch(vault: Vault, chatRoomId: string): Promise<void> {
  const keys = (await Promise.all(SEARCH_KINDS.map((kind) => vault.keys('sealed', `${kind}:${chatRoomId}`)))).flat()
  await vault.write(keys.map((key): Write => ({ store: 'sealed', key, value: null })))
  forgetIndex(vault, chatRoomId)
}
