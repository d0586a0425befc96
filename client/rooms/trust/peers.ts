import { z } from 'zod'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { CryptoFailure, isStillRead, type ManifestOutcome, type Mismatch } from '../../worker/crypto.ts'
import { firstBook, saveBook } from './book.ts'
import { refreshOwnDevices } from './ownDevices.ts'
import { isPaused, pauseIfOlder } from './pauseQuestion.ts'

/** The keys of another member of a room as the server returns them: compared with the pin, never trusted [Note: I1]. */
export interface PeerKeys {
  id: string
  username: string
  /** Ed25519, base64; null before the account has its first browser. */
  identityKey: string | null
  /** 0 if the account has no device. */
  manifestVersion: number
  /** True if the account was deleted; the server has deleted its keys too. */
  isDeleted: boolean
}

/** The accounts of a room: the own id, and the keys of the other members. */
export interface Accounts {
  ownId: string
  peers: PeerKeys[]
}

/**
 * Updates what this device knows of one peer's keys: pins the first key, or stores a newer manifest. `named` is a version that a
 * message named; `isExact` requests exactly this version, as a commit named it [Note: D2]. Throws CryptoFailure for a forged
 * manifest.
 */
export async function refreshPeer(
  env: Env,
  ownId: string,
  peer: PeerKeys,
  named = 0,
  isExact = false,
): Promise<Exclude<ManifestOutcome, 'book_unread'>> {
  const { id: userId, username, isDeleted, manifestVersion } = peer
  const standing = await env.crypto.peerStanding({ userId, username, identityKey: peer.identityKey })
  const { mismatch, version, isBookRead } = standing
  if (isDeleted) {
    // Old messages are verified with the key from the account's book.
    if (!isBookRead) await firstBook(env)
    return version > 0 ? 'pinned' : 'no_device'
  }
  if (mismatch && !isStillRead(mismatch)) return mismatch
  const newest = Math.max(manifestVersion, named)
  const question = `${ownId} ${userId} ${named > manifestVersion ? 'named' : newest}`
  if (version >= newest || isPaused(env, question)) return version > 0 ? (mismatch ?? 'pinned') : 'no_device'
  const { identityKey, manifest } = await env.api(devicesApi.manifest, { userId, ...(isExact && { version: named }) })
  let outcome = await env.crypto.takePeerManifest({ userId, username, identityKey, manifest })
  if (outcome === 'book_unread') {
    // Read the pins of the account's other browsers first, so that this browser pins no other key.
    await ((await env.crypto.isBookRead()) || firstBook(env))
    outcome = await env.crypto.takePeerManifest({ userId, username, identityKey, manifest })
  }
  if (outcome === 'book_unread') throw new CryptoFailure('book_unread', 'The address book could not be read')
  const isFollowed = outcome === 'pinned' || (outcome !== 'no_device' && isStillRead(outcome))
  if (isFollowed) await pauseIfOlder(env, question, userId, newest)
  await saveBook(env)
  return outcome
}

/** Calls `refreshPeer` for every peer in a room. Returns the mismatches by account id; nothing may be sent to those accounts. */
export async function refreshPeers(env: Env, { ownId, peers }: Accounts): Promise<Map<string, Mismatch>> {
  const differing = new Map<string, Mismatch>()
  for (const peer of peers) {
    const outcome = await refreshPeer(env, ownId, peer)
    if (outcome !== 'pinned' && outcome !== 'no_device') differing.set(peer.id, outcome)
  }
  return differing
}

const staleShape = z.object({ manifestVersions: z.record(z.string(), z.number()) })

/** Fetches the newer device lists named in a refusal, without the pause between requests [Note: D3]. */
export async function refreshStale(env: Env, { ownId, peers }: Accounts, refusalDetails: unknown): Promise<void> {
  const versions = staleShape.safeParse(refusalDetails).data?.manifestVersions ?? {}
  if ((versions[ownId] ?? 0) > (await env.crypto.manifestVersion(ownId))) await refreshOwnDevices(env)
  const newer = peers.map((peer) => ({ ...peer, manifestVersion: Math.max(peer.manifestVersion, versions[peer.id] ?? 0) }))
  await refreshPeers(env, { ownId, peers: newer })
}
