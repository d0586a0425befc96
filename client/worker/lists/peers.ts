import { z } from 'zod'
import type { Manifest } from '../../../contract/account/documents.ts'
import { fromBase64, sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { checkSuccession, readManifest } from '../keys/identity.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { remembering } from '../primitives/memo.ts'
import type { Write } from '../vault/vault.ts'
import { markOf } from '../vault/vaultMarks.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { type BookRow, bookWrite, readBook, withBook } from './book.ts'
import { hashesOf, type ListHashes, manifestHash, withHash } from './hashes.ts'
import { isStillRead, type Mismatch } from './mismatch.ts'
import { foldName, isPinnedKey, mismatchIn } from './names.ts'
import { requirePinnedList, withList, withPin } from './pins.ts'

export interface Peer {
  identityKey: Uint8Array
  version: number
  signed: Signed
  manifest: Manifest
  /** First list versions without the device, by device id. */
  removedSeen?: Record<string, number>
  /** Absent in older rows [Note: D2]. */
  hashes?: ListHashes
}

export type ManifestOutcome = 'pinned' | 'no_device' | 'book_unread' | Mismatch

const rowOf = (userId: string) => `peer:${userId}`
const rowShape = z.looseObject({
  identityKey: z.string(),
  version: z.number(),
  signed: z.object({ content: z.string(), signature: z.string() }),
  removedSeen: z.record(z.string(), z.number()).exactOptional(),
  hashes: z.record(z.string(), z.string()).exactOptional(),
})

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

/** Returns the writes of the own manifest and mark [Note: V4]. */
export function ownManifestWrite(
  userId: string,
  own: Pick<Peer, 'identityKey' | 'signed' | 'manifest'>,
  known: Peer | undefined,
): Write {
  const mark = { identityKey: toBase64(own.identityKey), manifest: markOf(own.manifest.version, own.signed.content) }
  return { ...peerWrite(userId, own, known), mark }
}

/** Returns the list version that removed this device [Note: D1]. */
export const removedIn = ({ manifest, removedSeen }: Peer, deviceId: string): number | undefined =>
  manifest.removed.includes(deviceId)
    ? (manifest.removedAt?.[deviceId] ?? removedSeen?.[deviceId] ?? manifest.version)
    : undefined

export const peerForgotten = (userId: string): Write => ({ store: 'sealed', key: rowOf(userId), value: null })

// Cached, because every message needs the check.
const verified = remembering<Manifest>(64)

export const peersMet = async ({ vault }: Live): Promise<string[]> =>
  (await vault.keys('sealed', rowOf(''))).map((key) => key.slice(rowOf('').length))

/** Returns undefined before the first manifest. */
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

/** Commits carry no username. */
export interface ShownManifest {
  userId: string
  identityKey: string | null
  manifest: Signed | null
  username?: string
}

/** Pins the first key and name [Note: I1, I3]. Throws CryptoFailure for a false or absent manifest [Note: D1]. */
export function takePeerManifest(live: Live, shown: ShownManifest): Promise<ManifestOutcome> {
  return withBook(live, async () => {
    const { userId, identityKey, manifest: signed } = shown
    const book = await readBook(live)
    const pin = book.book.pins[userId]
    if (pin && (identityKey === null || (!signed && isPinnedKey(pin, identityKey))))
      throw new CryptoFailure('manifest_absent', 'The server showed no device list')
    if (!identityKey || !signed) return pin ? 'key_changed' : 'no_device'
    const key = fromBase64(identityKey)
    const isSelf = userId === live.userId
    const differs = isSelf
      ? !sameBytes(key, live.identityKey) && 'key_changed'
      : mismatchIn(book.book, { userId, identityKey, username: shown.username ?? pin?.username ?? '' })
    if (differs && !isStillRead(differs)) return differs
    if (!pin && !isSelf && !book.isRead) return 'book_unread'
    const known = await peerOf(live, userId)
    const manifest = checkSuccession(known && { version: known.version, content: known.signed.content }, signed, key)
    const { version, username } = manifest
    const expected = pin?.username ?? (shown.username && foldName(shown.username))
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

/** Returns the newest known version; 0: none. */
export const manifestVersion = async (live: Live, userId: string): Promise<number> => (await peerOf(live, userId))?.version ?? 0
