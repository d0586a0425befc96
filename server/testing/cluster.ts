import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../ground/db/embedded.ts'
import { migrate } from '../ground/db/migrate.ts'
import { openRun } from './run.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a database in the run's own cluster, with `/template` in place of the database's name. */
    clusterUrl: string
  }
}

const root = path.resolve(import.meta.dirname, '../..')

/** Starts one PostgreSQL for all served tests of the run, with a migrated template that every test file copies for its own database. */
export async function setup(project: TestProject) {
  const { folder } = await openRun()
  const cluster = await startPostgres({
    root,
    dataFolder: path.join(folder, 'cluster'),
    // Files that run at once have several servers each.
    connections: 200,
    say: (line) => process.stderr.write(`${line}\n`),
  })
  const client = new pg.Client({ connectionString: cluster.url('postgres') })
  await client.connect()
  await client.query('create database template')
  // Nobody kills this PostgreSQL, so nothing is lost by it: tests that do, and the fault run, have clusters of their own. Each copy of the
  // template would wait half a second for the disk.
  await client.query('alter role current_user set synchronous_commit = off')
  for (const setting of ['fsync', 'full_page_writes']) await client.query(`alter system set ${setting} = off`)
  await client.query('select pg_reload_conf()')
  await client.end()
  await migrate(cluster.url('template'), path.join(root, 'server/ground/db'))
  project.provide('clusterUrl', cluster.url('template'))
  return () => cluster.stop()
}
