import { z } from 'zod'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { CryptoFailure, isStillRead, type ManifestOutcome, type Mismatch } from '../../worker/crypto.ts'
import { firstBook, saveBook } from './book.ts'
import { refreshOwnDevices } from './ownDevices.ts'
import { isPaused, pauseIfOlder } from './pauseQuestion.ts'
import { refusingList } from './refusedList.ts'

/** The server's keys of a member: compared with the pin, never trusted [Note: I1]. */
export interface PeerKeys {
  id: string
  username: string
  /** Ed25519, base64; null before the account's first browser. */
  identityKey: string | null
  /** 0 without a device. */
  manifestVersion: number
  isDeleted: boolean
}

export interface Accounts {
  ownId: string
  peers: PeerKeys[]
}

/**
 * Pins a peer's first key or stores a newer manifest. `isExact` requests exactly the version that a commit `named` [Note: D2].
 * Throws RefusedList for a forged or an older one.
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
    // The book's key verifies old messages.
    if (!isBookRead) await firstBook(env)
    return version > 0 ? 'pinned' : 'no_device'
  }
  if (mismatch && !isStillRead(mismatch)) return mismatch
  const newest = Math.max(manifestVersion, named)
  const question = `${ownId} ${userId} ${named > manifestVersion ? 'named' : newest}`
  if (version >= newest || isPaused(env, question)) return version > 0 ? (mismatch ?? 'pinned') : 'no_device'
  const { identityKey, manifest } = await env.api(devicesApi.manifest, { userId, ...(isExact && { version: named }) })
  const take = () => refusingList(userId, () => env.crypto.takePeerManifest({ userId, username, identityKey, manifest }))
  let outcome = await take()
  if (outcome === 'book_unread') {
    // The pins of the own browsers come first: this browser must pin no other key.
    await ((await env.crypto.isBookRead()) || firstBook(env))
    outcome = await take()
  }
  if (outcome === 'book_unread') throw new CryptoFailure('book_unread', 'The address book could not be read')
  const isFollowed = outcome === 'pinned' || (outcome !== 'no_device' && isStillRead(outcome))
  if (isFollowed) await pauseIfOlder(env, question, userId, newest)
  await saveBook(env)
  return outcome
}

/** Returns the mismatches by account id; nothing may be sent to these accounts. */
export async function refreshPeers(env: Env, { ownId, peers }: Accounts): Promise<Map<string, Mismatch>> {
  const differing = new Map<string, Mismatch>()
  for (const peer of peers) {
    const outcome = await refreshPeer(env, ownId, peer)
    if (outcome !== 'pinned' && outcome !== 'no_device') differing.set(peer.id, outcome)
  }
  return differing
}

const staleShape = z.object({ manifestVersions: z.record(z.string(), z.number()) })

/** [Note: D3] */
export async function refreshStale(env: Env, { ownId, peers }: Accounts, refusalDetails: unknown): Promise<void> {
  const versions = staleShape.safeParse(refusalDetails).data?.manifestVersions ?? {}
  if ((versions[ownId] ?? 0) > (await env.crypto.manifestVersion(ownId))) await refreshOwnDevices(env)
  const newer = peers.map((peer) => ({ ...peer, manifestVersion: Math.max(peer.manifestVersion, versions[peer.id] ?? 0) }))
  await refreshPeers(env, { ownId, peers: newer })
}
