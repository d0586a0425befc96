import { z } from 'zod'
import { fromBase64, sameBytes, toBase64 } from '../../contract/bytes.ts'
import type { Manifest } from '../../contract/devices.ts'
import type { Signed } from '../../contract/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { remembering } from '../primitives/memo.ts'
import { markOf } from '../vault/marks.ts'
import { jsonOf } from '../vault/rows.ts'
import type { Write } from '../vault/vault.ts'
import { type BookRow, bookWrite, pinOf, readBook, withBook } from './book.ts'
import { hashesOf, type ListHashes, manifestHash, withHash } from './hashes.ts'
import { checkSuccession, readManifest } from './identity.ts'
import type { Live } from './live.ts'
import { type Group, members } from './mls.ts'
import { foldName, isNameTaken, isStillRead, type Mismatch, mismatchOf } from './names.ts'
import { requirePinnedList, withList, withPin } from './pins.ts'

/** This device's record of an account, its own included: the identity key and the newest manifest. */
export interface Peer {
  identityKey: Uint8Array
  version: number
  signed: Signed
  manifest: Manifest
  /**
   * For removals that the list does not date: the list version in which this browser first saw each device removed, by device id.
   */
  removedSeen?: Record<string, number>
  /** The hashes of the newest versions that this device has seen; absent in rows of older builds [Note: D2]. */
  hashes?: ListHashes
}

/**
 * The outcome of taking a manifest that the server returned. `book_unread`: nothing may be pinned before the account's book was
 * read.
 */
export type ManifestOutcome = 'pinned' | 'no_device' | 'book_unread' | Mismatch

const rowOf = (userId: string) => `peer:${userId}`
const rowShape = z.looseObject({
  identityKey: z.string(),
  version: z.number(),
  signed: z.object({ content: z.string(), signature: z.string() }),
  removedSeen: z.record(z.string(), z.number()).exactOptional(),
  hashes: z.record(z.string(), z.string()).exactOptional(),
})

/** The change that stores a checked manifest. `known` is the previous one here; `seen` are hashes that the account's book knows. */
export function peerWrite(
  userId: string,
  { identityKey, signed, manifest }: Pick<Peer, 'identityKey' | 'signed' | 'manifest'>,
  known: Peer | undefined,
  seen: ListHashes = {},
): Write {
  const undated = manifest.removed.filter((id) => manifest.removedAt?.[id] === undefined)
  const removedSeen = Object.fromEntries(undated.map((id) => [id, (known && removedIn(known, id)) ?? manifest.version] as const))
  const { version } = manifest
  const hashes = withHash(known ? hashesOf(known) : seen, version, manifestHash(signed))
  const json = { identityKey: toBase64(identityKey), version, signed, removedSeen, hashes }
  return { store: 'sealed', key: rowOf(userId), value: { json } }
}

/** The change that stores the own account's manifest, and the vault's mark of it [Note: V4]. */
export function ownManifestWrite(
  userId: string,
  own: Pick<Peer, 'identityKey' | 'signed' | 'manifest'>,
  known: Peer | undefined,
): Write {
  const mark = { identityKey: toBase64(own.identityKey), manifest: markOf(own.manifest.version, own.signed.content) }
  return { ...peerWrite(userId, own, known), mark }
}

/** The version of an account's list that removed this device; undefined if it was not removed [Note: D1]. */
export const removedIn = ({ manifest, removedSeen }: Peer, deviceId: string): number | undefined =>
  manifest.removed.includes(deviceId)
    ? (manifest.removedAt?.[deviceId] ?? removedSeen?.[deviceId] ?? manifest.version)
    : undefined

/** The change that deletes an account's manifest, so that the next one needs no predecessor. */
export const peerForgotten = (userId: string): Write => ({ store: 'sealed', key: rowOf(userId), value: null })

// A signature over the same text by the same key is verified once, because every message needs it.
const verified = remembering<Manifest>(64)

/** The record of an account; undefined before its first manifest was taken. */
export async function peerOf({ vault }: Live, userId: string): Promise<Peer | undefined> {
  const row = await vault.get('sealed', rowOf(userId))
  if (!row) return undefined
  const { identityKey, version, signed, removedSeen, hashes } = jsonOf(rowShape, row)
  const key = fromBase64(identityKey)
  const manifest = verified(`${identityKey} ${signed.signature} ${signed.content}`, () => readManifest(signed, key))
  return (
    manifest && { identityKey: key, version, signed, manifest, ...(removedSeen && { removedSeen }), ...(hashes && { hashes }) }
  )
}

/**
 * An account's manifest as the server returned it, and the username in the server's list, which is absent if a commit carried the
 * manifest.
 */
export interface ShownManifest {
  userId: string
  identityKey: string | null
  manifest: Signed | null
  username?: string
}

/**
 * Takes a manifest that the server returned. Pins the first key and name seen of an account in the book; later refuses another
 * key or name, or a name pinned for another account [Note: I1, I3]. Throws CryptoFailure for a manifest that is older, forks or
 * has a wrong signature [Note: D1].
 */
export function takePeerManifest(live: Live, shown: ShownManifest): Promise<ManifestOutcome> {
  return withBook(live, async () => {
    const { userId, identityKey, manifest: signed } = shown
    const book = await readBook(live)
    if (!identityKey || !signed) return book.book.pins[userId] ? 'key_changed' : 'no_device'
    const pin = book.book.pins[userId]
    const key = fromBase64(identityKey)
    const isSelf = userId === live.userId
    const differs = isSelf
      ? !sameBytes(key, live.identityKey) && 'key_changed'
      : mismatchIn(book, { userId, identityKey, username: shown.username ?? pin?.username ?? '' })
    if (differs && !isStillRead(differs)) return differs
    if (!pin && !isSelf && !book.isRead) return 'book_unread'
    const known = await peerOf(live, userId)
    const manifest = checkSuccession(known && { version: known.version, content: known.signed.content }, signed, key)
    const { version, username } = manifest
    const expected = pin?.username ?? (shown.username && foldName(shown.username))
    // The account signs another name than the one it is known by.
    if (username !== undefined && username !== (expected ?? username)) return 'name_changed'
    const list = { version, hash: manifestHash(signed) }
    if (pin && !known) requirePinnedList(pin, list)
    const next = isSelf
      ? book
      : withList(withNamedPin(book, userId, { identityKey, username: username ?? expected }), userId, list)
    const seen = pin?.manifest && { [pin.manifest.version]: pin.manifest.hash }
    const taken = { identityKey: key, signed, manifest }
    await live.vault.write([
      ...(next === book ? [] : [bookWrite(next)]),
      ...(known?.version === version
        ? []
        : [isSelf ? ownManifestWrite(userId, taken, known) : peerWrite(userId, taken, known, seen)]),
    ])
    const { differs: hasOtherNumber, awaitsDecision } = next.book.pins[userId] ?? {}
    return hasOtherNumber ? 'numbers_differ' : awaitsDecision ? 'key_undecided' : 'pinned'
  })
}

const mismatchIn = ({ book }: BookRow, { userId, ...shown }: { userId: string; identityKey: string | null; username: string }) =>
  mismatchOf(book.pins[userId], shown, (name) => isNameTaken(book, userId, name))

/** The book with the first key seen of an account, or with the name that a pin of an older build lacks. */
function withNamedPin(
  row: BookRow,
  userId: string,
  { identityKey, username }: { identityKey: string; username: string | undefined },
): BookRow {
  const pin = row.book.pins[userId]
  if (pin && (pin.username !== undefined || username === undefined)) return row
  const first = pin ?? { isVerified: false, ...(row.book.asksFirst && { awaitsDecision: true }) }
  return withPin(row, userId, { ...first, identityKey, ...(username !== undefined && { username }) })
}

/** The newest manifest version known of an account, also of the own one; 0 if none is known. */
export const manifestVersion = async (live: Live, userId: string): Promise<number> => (await peerOf(live, userId))?.version ?? 0

/**
 * The standing of an account that the server shows: its difference from the pin, the newest manifest version known (0 if none),
 * and whether the account's book was read here. Before that, this browser does not know which keys the account trusts.
 */
export async function peerStanding(
  live: Live,
  { userId, ...shown }: { userId: string; identityKey: string | null; username: string },
): Promise<{ mismatch: Mismatch | null; version: number; isBookRead: boolean }> {
  const [row, known] = await Promise.all([readBook(live), peerOf(live, userId)])
  const pin = row.book.pins[userId]
  if (known && pin && !pin.manifest) await notePinnedList(live, userId, known)
  return { mismatch: mismatchIn(row, { userId, ...shown }), version: known?.version ?? 0, isBookRead: row.isRead }
}

/** Adds to the pin of an older build the device list that this browser has verified, so that the book hands it to new browsers. */
function notePinnedList(live: Live, userId: string, { identityKey, version, signed }: Peer): Promise<void> {
  return withBook(live, async () => {
    const row = await readBook(live)
    const pin = row.book.pins[userId]
    if (!pin || pin.manifest || !sameBytes(fromBase64(pin.identityKey), identityKey)) return
    await live.vault.write([bookWrite(withList(row, userId, { version, hash: manifestHash(signed) }))])
  })
}

/** An account as the server's list shows it. */
export interface ShownPeer {
  id: string
  username: string
  /** Ed25519, base64. */
  identityKey: string | null
  manifestVersion: number
  isDeleted: boolean
}

/** True if nothing has to be fetched of these accounts before their messages are verified. */
export async function arePeersKnown(live: Live, peers: ShownPeer[]): Promise<boolean> {
  const standings = await Promise.all(peers.map(({ id, ...peer }) => peerStanding(live, { userId: id, ...peer })))
  return standings.every(({ mismatch, version, isBookRead }, at) => {
    const { isDeleted = false, manifestVersion = 0 } = peers[at] ?? {}
    // What follows of a mismatch is the person's to decide.
    return isDeleted ? isBookRead : (mismatch && mismatch !== 'key_undecided') || version >= manifestVersion
  })
}

/** A placeholder for an account without keys: no key equals its key, and it lists no device. */
const WITHOUT_KEYS: Peer = {
  identityKey: new Uint8Array(),
  version: 0,
  signed: { content: '', signature: '' },
  manifest: {
    v: 1,
    version: 0,
    identityKey: '',
    devices: [],
    removed: [],
    historyKeyId: 0,
    historyKey: '',
    keepsHistory: false,
    keyringVersion: 0,
  },
}

/** The pin of a deleted account, whose old messages stay attributable to it. */
async function peerByPin(live: Live, userId: string): Promise<Peer> {
  const identityKey = await pinOf(live, userId)
  return identityKey ? { ...WITHOUT_KEYS, identityKey } : WITHOUT_KEYS
}

/** The account of a room's member, as this device knows it. */
export interface MemberAccount extends Peer {
  userId: string
}

/** The accounts of all members of a room. */
export interface MemberAccounts {
  own: MemberAccount
  /** Sorted by user id. */
  others: MemberAccount[]
}

/** Reads the own account and the other members' ones. Throws CryptoFailure('manifest') if the own device list is missing. */
export async function memberAccounts(live: Live, peerIds: string[]): Promise<MemberAccounts> {
  const [own, ...others] = await Promise.all([
    peerOf(live, live.userId),
    ...[...peerIds]
      .sort()
      .map(async (userId) => ({ userId, ...((await peerOf(live, userId)) ?? (await peerByPin(live, userId))) })),
  ])
  if (!own) throw new CryptoFailure('manifest', "This account's own device list is missing")
  return { own: { userId: live.userId, ...own }, others }
}

/** All accounts, the own one first. */
export const everyAccount = ({ own, others }: MemberAccounts): [MemberAccount, ...MemberAccount[]] => [own, ...others]

export const accountKeysOf = (accounts: MemberAccounts): Uint8Array[] =>
  everyAccount(accounts).map(({ identityKey }) => identityKey)

/** The newest manifest version known of each member, by user id [Note: D2]. */
export const versionsOf = (accounts: MemberAccounts): Record<string, number> =>
  Object.fromEntries(everyAccount(accounts).map(({ userId, version }) => [userId, version]))

/** True if the manifest of a member's account lists this device with this leaf key. Pass only members' account keys. */
export const listedIn =
  (accounts: MemberAccounts) =>
  (accountKey: Uint8Array, deviceId: string, leafKey: Uint8Array): boolean =>
    everyAccount(accounts).some(
      ({ identityKey, manifest }) =>
        sameBytes(identityKey, accountKey) &&
        manifest.devices.some((device) => device.id === deviceId && sameBytes(fromBase64(device.leafKey), leafKey)),
    )

/** The leaves of a group that no manifest lists: the next sender removes them [Note: D3]. */
export function unlistedIn(group: Group, accounts: MemberAccounts): number[] {
  const isListed = listedIn(accounts)
  return members(group)
    .filter(({ accountKey, deviceId, leafKey }) => !isListed(accountKey, deviceId, leafKey))
    .map(({ leafIndex }) => leafIndex)
}
