import path from 'node:path'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { applyFunctions } from './functions.ts'
import { grantRows } from './owner.ts'
import { writePlanRights } from './planrights.ts'

// Any constant. Servers that start together take turns.
const MIGRATION_LOCK = 7_302_114

/** Last of the 40 migrations that the first one replaces (commit 1f8796a). */
const LAST_BEFORE_FIRST = 'aff377c0f574819039503484f5243c76e54a3b23d48b217302ce558c7bf1c8bf'

/** Writes all or nothing, as the owner of the tables. `serverRole` is another. Throws if the database is older than the first migration. */
export async function migrate(
  url: string,
  folder: string,
  { serverRole }: { serverRole?: string | undefined } = {},
): Promise<void> {
  // A separate connection has no statement timeout.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query('begin isolation level read committed')
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    const hasChanged = await runMigrations(client, readMigrationFiles({ migrationsFolder: path.join(folder, 'migrations') }))
    await applyFunctions(client, path.join(folder, 'functions'), { isAgain: hasChanged })
    await writePlanRights(drizzle(client))
    if (serverRole !== undefined) await grantRows(client, serverRole)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

/** Returns true if any ran. Drizzle's own would commit too early. */
async function runMigrations(client: pg.Client, migrations: MigrationMeta[]): Promise<boolean> {
  await client.query('create schema if not exists drizzle')
  await client.query(
    'create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  )
  const { rows } = await client.query<{ hash: string; at: string }>(
    'select hash, created_at as at from drizzle.__drizzle_migrations',
  )
  const [first] = migrations
  if (first && rows.length > 0 && rows.every(({ at }) => Number(at) < first.folderMillis))
    throw new Error('the database is of a version before commit 1f8796a. Start that version once, then this one')
  if (first && rows.some(({ hash }) => hash === LAST_BEFORE_FIRST)) await takeForFirst(client, first)

  const done = new Set(rows.map(({ at }) => Number(at)))
  const due = migrations.filter(({ folderMillis }) => !done.has(folderMillis))
  for (const migration of due) {
    for (const statement of migration.sql) await client.query(statement)
    await note(client, migration)
  }
  return due.length > 0
}

/** The schema is already that of the first migration. */
async function takeForFirst(client: pg.Client, first: MigrationMeta): Promise<void> {
  await client.query('drop function if exists append_messages_v3')
  await client.query('delete from drizzle.__drizzle_migrations where created_at <= $1', [first.folderMillis])
  await note(client, first)
}

const note = (client: pg.Client, { hash, folderMillis }: MigrationMeta) =>
  client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [hash, folderMillis])
