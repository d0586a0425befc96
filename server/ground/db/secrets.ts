import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Db } from './connect.ts'
import { serverSecrets } from './schema/secrets.ts'

/** Makes a missing secret. Simultaneous servers get the same one. */
export async function readSecret(db: Db, name: string, make: () => Buffer = () => randomBytes(32)): Promise<Uint8Array> {
  await db.insert(serverSecrets).values({ name, secret: make() }).onConflictDoNothing()
  const [row] = await db.select({ secret: serverSecrets.secret }).from(serverSecrets).where(eq(serverSecrets.name, name))
  if (!row) throw new Error(`The secret "${name}" could not be kept`)
  return row.secret
}
