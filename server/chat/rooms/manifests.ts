import { manifestShape } from '../../../contract/account/documents.ts'
import type { ArchiveKey, CommitDraft } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { countLook } from '../../identity/devices/strangers.ts'
import { mayFollow } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import { idsOf, type Room } from './members.ts'
import * as store from './store.ts'

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

/** Throws Refusal `stale_manifest` for an old version or history key [Note: R6], which counts as a stranger's look. */
export async function requireNewest(
  env: Env,
  tx: Queryable,
  userId: string,
  room: Room,
  { manifests, known }: { manifests: Map<string, RoomManifest>; known: Known },
): Promise<void> {
  const isBehind = [...manifests].some(([id, { version }]) => (known.manifestVersions[id] ?? 0) < version)
  if (!isBehind && !known.archiveKeys.some((key) => isForAnother(manifests, key))) return
  const other = room.type === 'direct' ? idsOf(room).find((id) => id !== userId) : undefined
  if (other !== undefined && !(await mayFollow(tx, userId, other))) await countLook(env, userId, other)
  const versions = Object.fromEntries([...manifests].map(([id, { version }]) => [id, version]))
  throw new Refusal('stale_manifest', { details: { manifestVersions: versions } })
}

const isForAnother = (manifests: Map<string, RoomManifest>, { userId, historyKeyId }: ArchiveKey): boolean =>
  historyKeyId !== (manifests.get(userId)?.historyKeyId ?? historyKeyId)

/** Returns the keys for accounts that keep their history [Note: H1]. */
export const keptKeys = (manifests: Map<string, RoomManifest>, archiveKeys: ArchiveKey[]): ArchiveKey[] =>
  archiveKeys.filter(({ userId }) => manifests.get(userId)?.keepsHistory !== false)
