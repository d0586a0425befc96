import { manifestShape } from '../../../contract/account/documents.ts'
import type { ArchiveKey } from '../../../contract/chat/rooms.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
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

export async function manifestVersions(db: Queryable, userIds: string[]): Promise<Record<string, number>> {
  const rows = await store.findManifestVersions(db, userIds)
  return Object.fromEntries(rows.map(({ userId, version }) => [userId, version]))
}

/** Throws Refusal `stale_manifest` for an old version or history key [Note: R6]. */
export function requireNewest(
  manifests: Map<string, RoomManifest>,
  known: Record<string, number>,
  archiveKeys: ArchiveKey[],
): void {
  const isBehind = [...manifests].some(([userId, { version }]) => (known[userId] ?? 0) < version)
  if (!isBehind && !archiveKeys.some((key) => isForAnother(manifests, key))) return
  const versions = Object.fromEntries([...manifests].map(([userId, { version }]) => [userId, version]))
  throw new Refusal('stale_manifest', { details: { manifestVersions: versions } })
}

const isForAnother = (manifests: Map<string, RoomManifest>, { userId, historyKeyId }: ArchiveKey): boolean =>
  historyKeyId !== (manifests.get(userId)?.historyKeyId ?? historyKeyId)

/** Returns the keys for accounts that keep their history [Note: H1]. */
export const keptKeys = (manifests: Map<string, RoomManifest>, archiveKeys: ArchiveKey[]): ArchiveKey[] =>
  archiveKeys.filter(({ userId }) => manifests.get(userId)?.keepsHistory !== false)
