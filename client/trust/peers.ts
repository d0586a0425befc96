import { z } from 'zod'
import { devicesApi } from '../../contract/devices.ts'
import { CryptoFailure, type ManifestOutcome, type Mismatch } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { isPaused, pauseIfOlder } from './asking.ts'
import { saveBook, syncBook } from './book.ts'
import { refreshOwnDevices } from './own.ts'

/** The keys of another member of a room, as the server names them: compared with the pin, never believed [Note: I1]. */
export interface PeerKeys {
  id: string
  username: string
  /** Ed25519, base64; null before the account's first browser. */
  identityKey: string | null
  /** 0 without a device. */
  manifestVersion: number
  /** The account is gone, and its keys are gone from the server. */
  isDeleted: boolean
}

/** The accounts in a room: the own one, and the keys of the others. */
export interface Accounts {
  ownId: string
  peers: PeerKeys[]
}

/**
 * Brings what this device knows of one peer's keys up to date: pins the first key, takes a newer manifest. `named`: a version that a
 * message named; `isExact`: that very version is asked for, as a commit named it [Note: D2]. Throws CryptoFailure for a forged one.
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
    // The account's book still has the key that signed the old messages.
    if (!isBookRead) await syncBook(env)
    return version > 0 ? 'pinned' : 'no_device'
  }
  if (mismatch) return mismatch
  const newest = Math.max(manifestVersion, named)
  const question = `${ownId} ${userId} ${named > manifestVersion ? 'named' : newest}`
  if (version >= newest || isPaused(env, question)) return version > 0 ? 'pinned' : 'no_device'
  const { identityKey, manifest } = await env.api(devicesApi.manifest, { userId, ...(isExact && { version: named }) })
  let outcome = await env.crypto.takePeerManifest({ userId, username, identityKey, manifest })
  if (outcome === 'book_unread') {
    // The pins of the account's other browsers come first: this one must not pin another key.
    await syncBook(env)
    outcome = await env.crypto.takePeerManifest({ userId, username, identityKey, manifest })
  }
  if (outcome === 'book_unread') throw new CryptoFailure('book_unread', 'The address book could not be read')
  if (outcome === 'pinned') await pauseIfOlder(env, question, userId, newest)
  await saveBook(env)
  return outcome
}

/** Does the same for every peer in a room. Returns by id what differs from whom this account knows: nothing may be sent to them. */
export async function refreshPeers(env: Env, { ownId, peers }: Accounts): Promise<Map<string, Mismatch>> {
  const differing = new Map<string, Mismatch>()
  for (const peer of peers) {
    const outcome = await refreshPeer(env, ownId, peer)
    if (outcome !== 'pinned' && outcome !== 'no_device') differing.set(peer.id, outcome)
  }
  return differing
}

const staleShape = z.object({ manifestVersions: z.record(z.string(), z.number()) })

/** Fetches the newer device lists that a refusal of the server names, without the pause between questions [Note: D3]. */
export async function refreshStale(env: Env, { ownId, peers }: Accounts, refusalDetails: unknown): Promise<void> {
  const versions = staleShape.safeParse(refusalDetails).data?.manifestVersions ?? {}
  if ((versions[ownId] ?? 0) > (await env.crypto.manifestVersion(ownId))) await refreshOwnDevices(env)
  const newer = peers.map((peer) => ({ ...peer, manifestVersion: Math.max(peer.manifestVersion, versions[peer.id] ?? 0) }))
  await refreshPeers(env, { ownId, peers: newer })
}
