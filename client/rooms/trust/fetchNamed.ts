import type { Env } from '../../env.ts'
import type { NewerVersions } from '../../worker/crypto.ts'
import { fetchNamedBook } from './book.ts'
import { fetchOwnManifest, fetchOwnVersion } from './ownDevices.ts'
import { type Accounts, refreshPeer } from './peers.ts'

/** [Note: D2, I1] */
export async function fetchNamed(env: Env, { ownId, peers }: Accounts, named: NewerVersions): Promise<void> {
  const { newerManifests, ownManifest, ownBook } = named
  for (const [userId, version] of Object.entries(newerManifests)) {
    const peer = peers.find(({ id }) => id === userId)
    if (peer) await refreshPeer(env, ownId, peer, version)
    else if (version > ownManifest) await fetchOwnManifest(env, userId, version)
  }
  if (ownManifest > 0) await fetchOwnManifest(env, ownId, ownManifest, true)
  if (ownBook > 0) await fetchNamedBook(env, ownId)
}

/** Requests a missing version at most once a minute. */
export async function fetchLists(env: Env, { ownId, peers }: Accounts, versions: Record<string, number>): Promise<void> {
  for (const [userId, version] of Object.entries(versions)) {
    const peer = peers.find(({ id }) => id === userId)
    if (peer) await refreshPeer(env, ownId, peer, version, true)
    else {
      await fetchOwnManifest(env, userId, version)
      await fetchOwnVersion(env, userId, version)
    }
  }
}
