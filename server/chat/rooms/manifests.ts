import { manifestShape } from '../../../contract/account/documents.ts'
import type { ArchiveKey, CommitDraft } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { lookAt } from '../../identity/devices/strangers.ts'
import { mayFollow } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { idsOf, type Room } from './members.ts'
import * as store from './store-manifests.ts'

interface RoomManifest {
  version: number
  historyKeyId: number
  keepsHistory: boolean
}

// The large rest was checked when the manifest was stored.
const historyShape = manifestShape.pick({ historyKeyId: true, keepsHistory: true })

export async function newestManifests(db: Queryable, userIds: string[]): Promise<Map<string, RoomManifest>> {
  const rows = await store.findManifests(db, userIds)
  return new Map(rows.map(({ userId, version, content }) => [userId, { version, ...historyShape.parse(JSON.parse(content)) }]))
}

export async function manifestVersions(
  db: Queryable,
  viewerId: string,
  roomId: string,
  userIds: string[],
): Promise<Record<string, number>> {
  const rows = await store.findManifestVersions(db, viewerId, roomId, userIds)
  return Object.fromEntries(rows.map(({ userId, version }) => [userId, version]))
}

type Known = Pick<CommitDraft, 'manifestVersions' | 'archiveKeys'>

export interface Stale {
  versions: Record<string, number>
  /** Somebody who has not accepted the caller. */
  stranger?: { id: string; newest: number }
}

/**
 * Returns what a commit lacks by an old version or history key [Note: R6]. To a caller whose own list is old it says nothing of a
 * stranger's: asking costs them no look, and tells none.
 */
export async function findStale(
  tx: Queryable,
  userId: string,
  room: Room,
  { manifests, known }: { manifests: Map<string, RoomManifest>; known: Known },
): Promise<Stale | undefined> {
  const behind = [...manifests].filter(([id, { version }]) => (known.manifestVersions[id] ?? 0) < version)
  const old = new Set([
    ...behind.map(([id]) => id),
    ...known.archiveKeys.filter((key) => isForAnother(manifests, key)).map((key) => key.userId),
  ])
  if (old.size === 0) return undefined
  const versions = Object.fromEntries([...manifests].map(([id, { version }]) => [id, version]))
  const other = room.type === 'direct' ? idsOf(room).find((id) => id !== userId) : undefined
  const newest = other === undefined ? undefined : versions[other]
  if (other === undefined || newest === undefined || (await mayFollow(tx, userId, other))) return { versions }
  const own = { [userId]: versions[userId] ?? 0 }
  return old.has(userId) ? { versions: own } : { versions: own, stranger: { id: other, newest } }
}

/** Waits for another connection: call it outside transactions. */
export async function staleManifest(env: Env, userId: string, { versions, stranger }: Stale): Promise<Refusal> {
  const shown = stranger && { [stranger.id]: await lookAt(env, userId, stranger.id, stranger.newest) }
  return new Refusal('stale_manifest', { details: { manifestVersions: { ...versions, ...shown } } })
}

const isForAnother = (manifests: Map<string, RoomManifest>, { userId, historyKeyId }: ArchiveKey): boolean =>
  historyKeyId !== (manifests.get(userId)?.historyKeyId ?? historyKeyId)

/** Returns the keys for accounts that keep their history [Note: H1]. */
export const keptKeys = (manifests: Map<string, RoomManifest>, archiveKeys: ArchiveKey[]): ArchiveKey[] =>
  archiveKeys.filter(({ userId }) => manifests.get(userId)?.keepsHistory !== false)
