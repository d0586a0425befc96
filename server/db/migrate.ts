import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { writePlanRights } from './planrights.ts'

// Any constant: two servers that start on one database take turns.
const MIGRATION_LOCK = 7_302_114

/** Brings the database to the newest schema, and the table of plans to the newest one. The folder holds what drizzle-kit generated. */
export async function migrate(url: string, folder: string): Promise<void> {
  // A connection of its own: a migration may take longer than any statement of the app is allowed to.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const db = drizzle(client)
    await runMigrations(db, { migrationsFolder: folder })
    await writePlanRights(db)
  } finally {
    await client.end()
  }
}
