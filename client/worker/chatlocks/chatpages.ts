import type { ArchiveKey } from '../../../contract/chat/rooms.ts'
import { concat, fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { inRoom } from '../group/roomState.ts'
import { historyKeyOf } from '../keys/history.ts'
import type { Live } from '../keys/live.ts'
import { archiveKeysHeld, keepArchiveKeys, keepEpochKeys, openArchiveKey } from '../messages/archive.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { hkdf, keyPairOf, openWith, sealWith } from '../primitives/seal.ts'
import type { EpochName } from '../vault/storedRoom.ts'
import { seedsOf } from './heldLocks.ts'
import { epochName, pagesWrite, placeOf, readPages } from './readPages.ts'

// [Note: L1]

const PAGE = 'conclave/archive-page/v1'
const GROUP_ID_BYTES = 48
const EPOCH_BYTES = 4
const KEY_BYTES = 32
const NAME_BYTES = 16
/** A page with this number of keys for each epoch reaches the server's limit. */
const CANDIDATES_MAX = 3
const ROW_BYTES = GROUP_ID_BYTES + EPOCH_BYTES + KEY_BYTES

/** `historyKeyId` is null under the lock's seed. */
export interface ArchivePage {
  number: number
  version: number
  historyKeyId: number | null
  sealed: string
}
type Head = Pick<ArchivePage, 'number' | 'version' | 'historyKeyId'>

interface EpochKey {
  place: EpochName
  bytes: Uint8Array
}

/** Returns pages with unread changes. */
export async function pagesToRead(live: Live, { chatRoomId, pages }: { chatRoomId: string; pages: Head[] }): Promise<number[]> {
  const known = await readPages(live, chatRoomId)
  const isRead = ({ number, version, historyKeyId }: Head) =>
    known[number]?.version === version &&
    known[number].historyKeyId === historyKeyId &&
    (historyKeyId !== null || known[number].seed !== undefined)
  return pages.filter((page) => !isRead(page)).map(({ number }) => number)
}

/** Returns read pages under older seeds, also those that only another browser's newest page still has [Note: L1, H1]. */
export async function pagesOfBefore(
  live: Live,
  { chatRoomId, pages }: { chatRoomId: string; pages: { number: number; before: unknown }[] },
): Promise<number[]> {
  const [known, newest] = [await readPages(live, chatRoomId), await nameOf(seedsOf(live, chatRoomId)[0])]
  return pages.flatMap(({ number, before }) => {
    const read = known[number]
    if (!read || read.historyKeyId !== null) return []
    return read.seed !== newest || (!read.isOwn && before && read.seedBefore !== newest) ? [number] : []
  })
}

const nameOf = async (seed: Uint8Array | undefined): Promise<string> =>
  seed ? toBase64((await keyPairOf(seed)).publicKey.subarray(0, NAME_BYTES)) : ''

interface Taken {
  chatRoomId: string
  page: ArchivePage
  /** This browser has written it. */
  isOwn?: boolean
}

/** Stores a page's archive keys, if it opens. Throws 'history_key'. */
export async function takePage(live: Live, { chatRoomId, page, isOwn = false }: Taken): Promise<void> {
  const opened = await openedPage(live, chatRoomId, page).catch((error: unknown) => {
    if (!(error instanceof CryptoFailure) || error.code !== 'room_locked') throw error
  })
  if (!opened) return
  await keepEpochKeys(live, opened.keys, chatRoomId)
  await notePage(live, chatRoomId, page, { ...opened, isOwn })
}

const notePage = (
  live: Live,
  chatRoomId: string,
  { number, version, historyKeyId }: Head,
  { keys, seed, isOwn }: OpenedPage & { isOwn: boolean },
): Promise<void> =>
  inRoom(live, chatRoomId, async () => {
    const epochs = [...new Set(keys.map(({ place }) => epochName(place)))]
    const [known, name] = [await readPages(live, chatRoomId), historyKeyId === null ? await nameOf(seed) : undefined]
    const before = known[number]
    const seedBefore = before && before.version < version ? before.seed : before?.seedBefore
    const read = {
      version,
      historyKeyId,
      epochs,
      isOwn,
      ...(name !== undefined && { seed: name }),
      ...(seedBefore !== undefined && { seedBefore }),
    }
    await live.vault.write([pagesWrite(chatRoomId, { ...known, [number]: read })])
  })

/** The server may delete these epochs' sealed keys. */
export interface PageDraft extends ArchivePage {
  chatRoomId: string
  epochs: EpochName[]
}

interface Rewrite {
  chatRoomId: string
  number: number
  /** The newest stands last. */
  pages: ArchivePage[]
  keys: ArchiveKey[]
  isOff: boolean
  isForced: boolean
}

/**
 * Adds sealed archive keys to the stored pages, under the lock's seed or the newest history key (`isOff`). Returns null if nothing is
 * new.
 */
export async function writePage(live: Live, { chatRoomId, number, pages, ...more }: Rewrite): Promise<PageDraft | null> {
  const newest = pages.at(-1)
  const stored = (await Promise.all(pages.map((page) => openedPage(live, chatRoomId, page)))).flatMap(
    (opened) => opened?.keys ?? [],
  )
  const added = await keysOf(live, chatRoomId, more.keys)
  if (added.length === 0 && !more.isForced) return null
  const historyKeyId = more.isOff ? (live.history.at(-1)?.id ?? null) : null
  const [seed] = await seedsFor(live, chatRoomId, historyKeyId)
  const version = (newest?.version ?? 0) + 1
  const read = await keysHeld(live, (await readPages(live, chatRoomId))[number]?.epochs ?? [])
  const plain = concat(...fewOfEach([...added, ...read, ...stored]).map(rowOf))
  const key = await hkdf(seed, PAGE, chatRoomId, String(number))
  const sealed = toBase64(await sealWith(key, PAGE, plain, live.identityKey, chatRoomId, String(number), String(version)))
  const epochs = [...new Map(added.map(({ place }) => [epochName(place), place])).values()]
  return { chatRoomId, number, version, historyKeyId, sealed, epochs }
}

/** A stolen browser could fill a page with keys of one epoch. */
function fewOfEach(keys: EpochKey[]): EpochKey[] {
  const few = new Map<string, Map<string, EpochKey>>()
  for (const key of keys) {
    const name = epochName(key.place)
    const same = few.get(name) ?? new Map<string, EpochKey>()
    few.set(name, same)
    if (same.size < CANDIDATES_MAX) same.set(toBase64(key.bytes), key)
  }
  return [...few.values()].flatMap((same) => [...same.values()])
}

/** True if the next epochs need another page. */
export const isFullPage = async (
  live: Live,
  { chatRoomId, number }: { chatRoomId: string; number: number },
): Promise<boolean> => {
  const page = (await readPages(live, chatRoomId))[number]
  return (page?.epochs.length ?? 0) + LIMITS.archiveKeysLeftMax > LIMITS.archivePageEpochs
}

/** Derived keys come before sealed keys. */
async function keysOf(live: Live, chatRoomId: string, seals: ArchiveKey[]): Promise<EpochKey[]> {
  await keepArchiveKeys(live, seals, chatRoomId)
  const opened = await Promise.all(seals.map(async (seal) => ((await openArchiveKey(live, seal)) ? [epochName(seal)] : [])))
  return keysHeld(live, [...new Set(opened.flat())])
}

async function keysHeld(live: Live, epochs: string[]): Promise<EpochKey[]> {
  const each = epochs.map(placeOf).map(async (place) => {
    const keys = (await archiveKeysHeld(live, place)).slice(0, CANDIDATES_MAX)
    return keys.map((bytes): EpochKey => ({ place, bytes }))
  })
  return (await Promise.all(each)).flat()
}

interface OpenedPage {
  keys: EpochKey[]
  seed: Uint8Array
}

/** undefined for rubbish [Note: H1]. Throws 'history_key'. */
async function openedPage(live: Live, chatRoomId: string, page: ArchivePage): Promise<OpenedPage | undefined> {
  for (const seed of await seedsFor(live, chatRoomId, page.historyKeyId)) {
    const keys = await keysIn(live, chatRoomId, page, seed).catch(ifClosed)
    if (keys) return { keys, seed }
  }
  return undefined
}

function ifClosed(error: unknown): undefined {
  if (!(error instanceof CryptoFailure)) throw error
}

async function keysIn(live: Live, chatRoomId: string, page: ArchivePage, seed: Uint8Array): Promise<EpochKey[]> {
  const { number, version, sealed } = page
  const key = await hkdf(seed, PAGE, chatRoomId, String(number))
  const plain = await openWith(key, PAGE, fromBase64(sealed), live.identityKey, chatRoomId, String(number), String(version))
  return fewOfEach(Array.from({ length: Math.floor(plain.length / ROW_BYTES) }, (_, at) => keyIn(plain, at * ROW_BYTES)))
}

/** The newest first. */
async function seedsFor(live: Live, chatRoomId: string, historyKeyId: number | null): Promise<[Uint8Array, ...Uint8Array[]]> {
  const [first, ...others] = historyKeyId === null ? seedsOf(live, chatRoomId) : [(await historyKeyOf(live, historyKeyId))?.seed]
  if (!first)
    throw new CryptoFailure('history_key', 'A part of this history is sealed under a key that this browser does not have')
  return [first, ...others.filter((seed) => seed !== undefined)]
}

function rowOf({ place, bytes }: EpochKey): Uint8Array {
  const epoch = new Uint8Array(EPOCH_BYTES)
  new DataView(epoch.buffer).setUint32(0, place.epoch)
  return concat(fromBase64(place.groupId), epoch, bytes)
}

function keyIn(plain: Uint8Array, at: number): EpochKey {
  const groupId = toBase64(plain.slice(at, at + GROUP_ID_BYTES))
  const epoch = new DataView(plain.buffer, plain.byteOffset + at + GROUP_ID_BYTES).getUint32(0)
  return { place: { groupId, epoch }, bytes: plain.slice(at + ROW_BYTES - KEY_BYTES, at + ROW_BYTES) }
}
