import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { writePlanRights } from './planrights.ts'

// Any constant. Servers that start on one database at the same time take turns by this lock.
const MIGRATION_LOCK = 7_302_114

/** Migrates the database to the newest schema and writes the table of plans. `folder` has drizzle-kit's migrations. */
export async function migrate(url: string, folder: string): Promise<void> {
  // A separate connection has no statement timeout: a migration may take longer than the app's statements may.
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
