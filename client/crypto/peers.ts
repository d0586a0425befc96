import { fromBase64, sameBytes, toBase64 } from '../../contract/bytes.ts'
import type { Manifest } from '../../contract/devices.ts'
import type { Signed } from '../../contract/shapes.ts'
import { pinOf, pinPeer } from './book.ts'
import { CryptoFailure } from './failure.ts'
import { checkSuccession, readManifest } from './identity.ts'
import type { Live } from './live.ts'

/** What this device knows of an account: its key and its newest manifest. The own account is one of them. */
export interface Peer {
  identityKey: Uint8Array
  version: number
  signed: Signed
  manifest: Manifest
}

export type Meeting = 'pinned' | 'no_device' | 'key_changed'

const rowOf = (userId: string) => `peer:${userId}`

/** The known keys of an account, or undefined before it was met. */
export async function peerOf({ vault }: Live, userId: string): Promise<Peer | undefined> {
  const row = await vault.get('sealed', rowOf(userId))
  if (!row) return undefined
  const { identityKey, version, signed } = row.json as { identityKey: string; version: number; signed: Signed }
  const key = fromBase64(identityKey)
  return { identityKey: key, version, signed, manifest: readManifest(signed, key) }
}

/**
 * Takes a manifest that the server handed out. The first key seen of an account is pinned in the book; another
 * key later is `key_changed` and is not taken [Note: I1]. Throws CryptoFailure for a manifest that goes back,
 * forks or is signed by somebody else [Note: D1].
 */
export async function meetPeer(
  live: Live,
  { userId, identityKey, manifest }: { userId: string; identityKey: string | null; manifest: Signed | null },
): Promise<Meeting> {
  const isSelf = userId === live.userId
  if (!identityKey || !manifest) return (await pinOf(live, userId)) ? 'key_changed' : 'no_device'
  const key = fromBase64(identityKey)
  const pinned = isSelf ? live.identityKey : await pinOf(live, userId)
  if (pinned && !sameBytes(pinned, key)) return 'key_changed'
  const known = await peerOf(live, userId)
  checkSuccession(known && { version: known.version, content: known.signed.content }, manifest, key)
  const { version } = readManifest(manifest, key)
  if (!isSelf && !pinned) await pinPeer(live, userId, key)
  if (known?.version !== version) {
    await live.vault.write([
      { store: 'sealed', key: rowOf(userId), value: { json: { identityKey: toBase64(key), version, signed: manifest } } },
    ])
  }
  return 'pinned'
}

/** Forgets what is known of an account's keys, so that the next manifest starts a new line. */
export const forgetPeer = ({ vault }: Live, userId: string): Promise<void> =>
  vault.write([{ store: 'sealed', key: rowOf(userId), value: null }])

/** The known manifest version of each account asked for; 0 where none is known. */
export async function peerVersions(live: Live, userIds: string[]): Promise<Record<string, number>> {
  const versions = await Promise.all(userIds.map(async (userId) => [userId, (await peerOf(live, userId))?.version ?? 0] as const))
  return Object.fromEntries(versions)
}

/** Stands in for someone without keys: no key equals it, and no device is listed. */
const WITHOUT_KEYS: Peer = {
  identityKey: new Uint8Array(),
  version: 0,
  signed: { content: '', signature: '' },
  manifest: { v: 1, version: 0, identityKey: '', devices: [], removed: [], historyKeyId: 0, historyKey: null, keyringVersion: 0 },
}

/** Both sides of a room, as this device knows them. */
export async function pairOf(live: Live, peerId: string): Promise<{ self: Peer; peer: Peer }> {
  const [self, peer] = await Promise.all([peerOf(live, live.userId), peerOf(live, peerId)])
  if (!self) throw new CryptoFailure('manifest', "This account's own device list is missing")
  return { self, peer: peer ?? WITHOUT_KEYS }
}

/** Whether a device stands in its account's manifest. Only the two accounts of the room are asked about. */
export const listedIn =
  (...peers: Peer[]) =>
  (accountKey: Uint8Array, deviceId: string): boolean =>
    peers.some(
      (peer) => sameBytes(peer.identityKey, accountKey) && peer.manifest.devices.some((device) => device.id === deviceId),
    )
