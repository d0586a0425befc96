import path from 'node:path'
import { tierShape } from '../contract/plans.ts'
import { ConfigError, readConfig } from '../server/config.ts'
import { defaultDataFolder } from '../server/db/binaries.ts'
import { connect, type Database } from '../server/db/connect.ts'
import { DataInUseError, runningUrl, startPostgres } from '../server/db/embedded.ts'
import { listAccountPlans, PlanError, setTier } from '../server/plans/plans.ts'

const root = path.resolve(import.meta.dirname, '..')
const USAGE = `npm run account -- <verb>
  set-tier <username> <${tierShape.options.join('|')}> [end date, such as 2027-01-31: the first day without, UTC]
  make-admin <username>
  list
  end-sessions <username>`

// What PostgreSQL calls a table, a column or a function that is not there.
const MISSING = new Set(['42P01', '42703', '42883'])

/** What was asked cannot be done; the message says why. */
class Unable extends Error {}

try {
  const place = await open()
  const database = connect(place.url)
  try {
    for (const line of await runVerb(database, process.argv.slice(2))) console.log(line)
  } finally {
    await database.close()
    await place.close()
  }
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}

/** The error in one line. */
function explain(error: unknown): string {
  for (const expected of [Unable, PlanError, ConfigError, DataInUseError]) if (error instanceof expected) return error.message
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (MISSING.has(code)) return 'The database is of an older version: start the server once, it brings the database up to date'
  return `The database could not be changed: ${cause instanceof Error ? cause.message : cause}`
}

async function runVerb({ db, pool }: Database, [verb, username = '', tier, endDate]: string[]): Promise<string[]> {
  switch (verb) {
    case 'set-tier': {
      if (tier === undefined) throw new Unable(USAGE)
      const end = endDate === undefined ? undefined : readDay(endDate)
      const named = await setTier(db, new Date(), { username, tier, endDate: end })
      return [`${named} is now ${tier}${end ? ` until ${end.toISOString()}` : ''}`]
    }
    case 'make-admin':
      await change(pool, 'update users set is_admin = true where lower(username) = lower($1)', [username])
      return [`${username} is now an administrator`]
    case 'end-sessions': {
      const id = await findUser(pool, username)
      const { rowCount } = await pool.query('delete from sessions where user_id = $1', [id])
      return [`${rowCount ?? 0} sessions of ${username} ended; a running server closes their sockets within 10 seconds`]
    }
    case 'list': {
      const rows = await listAccountPlans(db, new Date())
      if (rows.length === 0) return ['No accounts yet']
      return rows.map(({ username: name, tier: now, given, endDate: end, isAdmin, isActive }) => {
        const dates = end && (now === given ? `until ${end.toISOString()}` : `${given} until ${end.toISOString()}`)
        return [name, now, dates, isAdmin && 'administrator', !isActive && 'blocked'].filter(Boolean).join('  ')
      })
    }
    default:
      throw new Unable(USAGE)
  }
}

async function change(pool: Database['pool'], statement: string, values: string[]): Promise<void> {
  const { rowCount } = await pool.query(statement, values)
  if (rowCount === 0) throw new Unable(`Nobody is called ${values[0]}`)
}

async function findUser(pool: Database['pool'], username: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from users where lower(username) = lower($1)', [username])
  if (!rows[0]) throw new Unable(`Nobody is called ${username}`)
  return rows[0].id
}

/** The beginning of a day, UTC. */
function readDay(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`)
  // The 31st of a shorter month would be read as a day of the next one.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
  if (!isDay) throw new Unable(`"${text}" is no date, such as 2027-01-31`)
  return day
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
