import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Db } from './connect.ts'
import { serverSecrets } from './schema/secrets.ts'

/** The secret of that name, made at the first call. Two servers that start at once get the same one. */
export async function readSecret(db: Db, name: string): Promise<Uint8Array> {
  await db
    .insert(serverSecrets)
    .values({ name, secret: randomBytes(32) })
    .onConflictDoNothing()
  const [row] = await db.select({ secret: serverSecrets.secret }).from(serverSecrets).where(eq(serverSecrets.name, name))
  if (!row) throw new Error(`The secret "${name}" could not be kept`)
  return row.secret
}
