import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { type Cluster, clusterFolder, startPostgres } from '../server/ground/db/embedded.ts'
import type { migrate } from '../server/ground/db/migrate.ts'
import { scratchFolder } from './scratch.ts'
import { type LargeAccount, seedLargeAccount } from './seed.ts'

export const root = path.resolve(import.meta.dirname, '..')

/** Resources that the figures of one run share. They are made at their first use and removed when the run ends. */
export interface Ground {
  /** True for small sizes, which show only that each figure works. */
  isQuick: boolean
  /** Folders of other builds of the product, measured in turn with this one by the figures that can. */
  variants: string[]
  /** The address of a new database of the run's own PostgreSQL (fsync on), migrated by this build or by that of a folder. */
  freshDatabase(folder?: string): Promise<string>
  /** A database with a user who has many contacts and one very long room. Figures must not write to it. */
  largeAccount(): Promise<LargeAccount>
  postgresPid(): number
  /** The log of that PostgreSQL. */
  postgresLog(): string
  close(): Promise<void>
}

export function layGround(isQuick: boolean, variants: string[] = []): Ground {
  const dataFolder = scratchFolder('ground')
  const cluster = once(() => startPostgres({ root, dataFolder, say: (words) => console.error(words) }))
  const templates = new Map<string, Promise<string>>()
  const ground: Ground = {
    isQuick,
    variants,
    async freshDatabase(folder = root) {
      const running = await cluster.get()
      const template = await keepOnce(templates, folder, () => makeTemplate(running, folder))
      const name = newName()
      await inDatabase(running.url('postgres'), `create database ${name} template ${template}`)
      return running.url(name)
    },
    largeAccount: () => account.get(),
    postgresPid: () => Number(readFileSync(path.join(clusterFolder(dataFolder), 'postmaster.pid'), 'utf8').split('\n')[0]),
    postgresLog: () => readFileSync(path.join(dataFolder, 'postgres.log'), 'utf8'),
    async close() {
      if (cluster.isAsked()) await (await cluster.get()).stop()
    },
  }
  const account = once(async () => seedLargeAccount(await ground.freshDatabase(), isQuick))
  return ground
}

/** Makes a database with the tables of the build in a folder. Returns its name. */
async function makeTemplate(cluster: Cluster, folder: string): Promise<string> {
  const name = newName()
  await inDatabase(cluster.url('postgres'), `create database ${name}`)
  const build: { migrate: typeof migrate } = await import(path.resolve(folder, 'server/ground/db/migrate.ts'))
  await build.migrate(cluster.url(name), path.resolve(folder, 'server/ground/db'))
  return name
}

const newName = () => `bench_${randomBytes(6).toString('hex')}`

function keepOnce<T>(kept: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = kept.get(key) ?? make()
  kept.set(key, made)
  return made
}

/** Runs one statement and returns its rows. */
export const inDatabase = (url: string, statement: string): Promise<Record<string, unknown>[]> =>
  withClient(url, async (client) => (await client.query<Record<string, unknown>>(statement)).rows)

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function once<T>(make: () => Promise<T>) {
  let made: Promise<T> | undefined
  return {
    get: () => {
      made ??= make()
      return made
    },
    isAsked: () => made !== undefined,
  }
}
