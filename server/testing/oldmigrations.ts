import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'

interface OldMigration {
  tag: string
  when: number
  hash: string
  sql: string
}

/** The 40 migrations that the first one replaces, as commit 1f8796a has them. They are never changed. */
const all: OldMigration[] = JSON.parse(
  gunzipSync(readFileSync(path.join(import.meta.dirname, 'oldmigrations.json.gz'))).toString('utf8'),
)

/** Runs them on an empty database, as its server did, up to and with `last`. */
export async function runOldMigrations(url: string, last = '0041_quicker_append'): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create schema drizzle')
  await client.query('create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)')
  await client.query('begin')
  for (const { when, hash, sql } of all.slice(0, all.findIndex(({ tag }) => tag === last) + 1)) {
    for (const statement of sql.split('--> statement-breakpoint')) await client.query(statement)
    await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [hash, when])
  }
  await client.query('commit')
  await client.end()
}
