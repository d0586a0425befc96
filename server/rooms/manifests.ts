import { manifestShape } from '../../contract/devices.ts'
import type { ArchiveKey } from '../../contract/rooms.ts'
import type { Queryable } from '../db/connect.ts'
import { Refusal } from '../refuse.ts'
import * as store from './store.ts'

/** What a room asks of an account's newest manifest. */
interface RoomManifest {
  version: number
  historyKeyId: number
  keepsHistory: boolean
}

// Only these fields are parsed: the devices are many times as large, and were checked when the manifest was stored.
const historyShape = manifestShape.pick({ historyKeyId: true, keepsHistory: true })

/** The newest manifests by account; an account without one is left out. */
export async function newestManifests(db: Queryable, userIds: string[]): Promise<Map<string, RoomManifest>> {
  const rows = await store.findManifests(db, userIds)
  return new Map(rows.map(({ userId, version, content }) => [userId, { version, ...historyShape.parse(JSON.parse(content)) }]))
}

/** The versions of the newest manifests by account, as refusals carry them. */
export async function manifestVersions(db: Queryable, userIds: string[]): Promise<Record<string, number>> {
  const rows = await store.findManifestVersions(db, userIds)
  return Object.fromEntries(rows.map(({ userId, version }) => [userId, version]))
}

/** Throws Refusal `stale_manifest` unless the caller knows every manifest's newest version and history key [Note: R6]. */
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

/** True if the key is sealed to another history key than the account's newest. */
const isForAnother = (manifests: Map<string, RoomManifest>, { userId, historyKeyId }: ArchiveKey): boolean =>
  historyKeyId !== (manifests.get(userId)?.historyKeyId ?? historyKeyId)

/** The keys whose accounts keep their history; for the others nothing is stored [Note: H1]. */
export const keptKeys = (manifests: Map<string, RoomManifest>, archiveKeys: ArchiveKey[]): ArchiveKey[] =>
  archiveKeys.filter(({ userId }) => manifests.get(userId)?.keepsHistory !== false)
