import { inArray, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { theirManifestVersion } from '../../ground/db/mutual.ts'
import { manifests } from '../../ground/db/schema/devices.ts'

export function findManifests(db: Queryable, userIds: string[]) {
  return db
    .select({ userId: manifests.userId, version: manifests.version, content: manifests.content })
    .from(manifests)
    .where(inArray(manifests.userId, userIds))
}

export async function findManifestVersions(db: Queryable, viewerId: string, roomId: string, userIds: string[]) {
  const { rows } = await db.execute<{ userId: string; version: number }>(sql`
    select m.user_id::text as "userId",
      ${theirManifestVersion(sql`(m.user_id = ${viewerId} or ${roomId}::text like 'room\\_%')`)} as version
    from manifests m
    left join contacts c on c.user_id = ${viewerId} and c.contact_user_id = m.user_id
    left join contacts theirs on theirs.user_id = m.user_id and theirs.contact_user_id = ${viewerId}
    left join shown_manifests given on given.viewer_id = ${viewerId} and given.user_id = m.user_id
    where m.user_id = any(${sql.param(userIds)}::uuid[])`)
  return rows
}
