import path from 'node:path'
import pg from 'pg'
import { tierShape } from '../contract/account.ts'
import { ConfigError, readConfig } from '../server/config.ts'
import { defaultDataFolder } from '../server/db/binaries.ts'
import { DataInUseError, runningUrl, startPostgres } from '../server/db/embedded.ts'

const root = path.resolve(import.meta.dirname, '..')
const USAGE = `npm run account -- <verb>
  set-tier <username> <${tierShape.options.join('|')}>
  make-admin <username>
  list
  end-sessions <username>`

/** What was asked cannot be done; the message says why. */
class Unable extends Error {}

try {
  const database = await open()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    for (const line of await obey(client, process.argv.slice(2))) console.log(line)
  } finally {
    await client.end()
    await database.close()
  }
} catch (error) {
  const isExpected = error instanceof Unable || error instanceof ConfigError || error instanceof DataInUseError
  console.error(
    isExpected ? error.message : `The database could not be changed: ${error instanceof Error ? error.message : error}`,
  )
  process.exit(1)
}

async function obey(client: pg.Client, [verb, username = '', tier]: string[]): Promise<string[]> {
  switch (verb) {
    case 'set-tier': {
      const wanted = tierShape.safeParse(tier)
      if (!wanted.success) throw new Unable(USAGE)
      await change(client, 'update users set subscription_tier = $2 where lower(username) = lower($1)', [username, wanted.data])
      return [`${username} is now ${wanted.data}`]
    }
    case 'make-admin':
      await change(client, 'update users set is_admin = true where lower(username) = lower($1)', [username])
      return [`${username} is now an administrator`]
    case 'end-sessions': {
      const id = await findUser(client, username)
      const { rowCount } = await client.query('delete from sessions where user_id = $1', [id])
      return [`${rowCount ?? 0} sessions of ${username} ended; a running server closes their sockets within 10 seconds`]
    }
    case 'list': {
      const { rows } = await client.query<{ username: string; subscription_tier: string; is_admin: boolean; is_active: boolean }>(
        'select username, subscription_tier, is_admin, is_active from users order by lower(username)',
      )
      if (rows.length === 0) return ['No accounts yet']
      return rows.map((row) =>
        [row.username, row.subscription_tier, row.is_admin ? 'administrator' : '', row.is_active ? '' : 'blocked']
          .filter(Boolean)
          .join('  '),
      )
    }
    default:
      throw new Unable(USAGE)
  }
}

async function change(client: pg.Client, statement: string, values: string[]): Promise<void> {
  const { rowCount } = await client.query(statement, values)
  if (rowCount === 0) throw new Unable(`Nobody is called ${values[0]}`)
}

async function findUser(client: pg.Client, username: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>('select id from users where lower(username) = lower($1)', [username])
  if (!rows[0]) throw new Unable(`Nobody is called ${username}`)
  return rows[0].id
}

/** The database of DATABASE_URL, of the running server, or started for this one command. */
async function open(): Promise<{ url: string; close: () => Promise<void> }> {
  const config = readConfig(process.env)
  const nothing = async () => undefined
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, close: nothing }
  const dataFolder = config.dataFolder ?? defaultDataFolder(root)
  const running = await runningUrl(dataFolder, 'conclave')
  if (running !== undefined) return { url: running, close: nothing }
  const cluster = await startPostgres({ root, dataFolder, say: console.error })
  return { url: cluster.url('conclave'), close: () => cluster.stop() }
}
