import { and, eq, lt } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { shownManifests } from '../../ground/db/schema/devices.ts'

/** Returns undefined where the viewer has never looked. */
export async function findGiven(db: Queryable, viewerId: string, userId: string): Promise<number | undefined> {
  const [row] = await db
    .select({ version: shownManifests.version })
    .from(shownManifests)
    .where(and(eq(shownManifests.viewerId, viewerId), eq(shownManifests.userId, userId)))
  return row?.version
}

export async function setGiven(db: Queryable, viewerId: string, userId: string, version: number): Promise<void> {
  await db
    .insert(shownManifests)
    .values({ viewerId, userId, version })
    .onConflictDoUpdate({
      target: [shownManifests.viewerId, shownManifests.userId],
      set: { version },
      setWhere: lt(shownManifests.version, version),
    })
}

/** Writes only what is higher. */
export async function raiseGiven(db: Queryable, viewerId: string, userId: string, version: number): Promise<void> {
  const isIt = and(eq(shownManifests.viewerId, viewerId), eq(shownManifests.userId, userId))
  await db
    .update(shownManifests)
    .set({ version })
    .where(and(isIt, lt(shownManifests.version, version)))
}
