import { type Ground, inDatabase } from './ground.ts'
import { median } from './numbers.ts'
import { pause, startProduct } from './program.ts'
import { type Row, row } from './row.ts'
import type { LargeAccount } from './seed.ts'
import { openWire, requestOf, timed } from './wire.ts'

/** Measures GET /api/contacts for a user with 1,000 contacts, in a database with 1,000,000 messages. */
export async function measureContacts(ground: Ground): Promise<Row[]> {
  const account = await ground.largeAccount()
  const [rounds, asks] = ground.isQuick ? [1, 5] : [5, 20]
  const server = await startProduct(account.databaseUrl)
  const wire = await openWire(server.port)
  const [list, self] = [
    requestOf('GET', '/api/contacts', account.user.cookie),
    requestOf('GET', '/api/user', account.user.cookie),
  ]
  const times: Record<'list' | 'self', number[]> = { list: [], self: [] }
  let bytes = 0
  for (let round = -1; round < rounds; round++) {
    for (let at = 0; at < asks; at++) {
      const [listed, known] = [await timed(wire, list), await timed(wire, self)]
      bytes = listed.body.length
      // The first round warms up.
      if (round >= 0) {
        times.list.push(listed.ms)
        times.self.push(known.ms)
      }
    }
  }
  wire.close()
  await server.stop()
  const queries = await countQueries(ground, account, list)
  const size = `${account.contacts} contacts, ${Math.round(bytes / 1024)} kB of JSON; GET /api/user takes ${median(times.self).toFixed(2)} ms beside it`
  return [
    row('contacts', 'GET /api/contacts', median(times.list), 'ms', { atMost: 6, note: size }),
    row('contacts', 'its queries, without the one of the session', queries - 1, 'queries', { atMost: 1 }),
  ]
}

/** Counts the SQL statements of one call in PostgreSQL's log. */
async function countQueries(ground: Ground, account: LargeAccount, request: Buffer): Promise<number> {
  const name = new URL(account.databaseUrl).pathname.slice(1)
  await inDatabase(account.databaseUrl, `alter database ${name} set log_statement = 'all'`)
  const server = await startProduct(account.databaseUrl)
  const wire = await openWire(server.port)
  await timed(wire, request)
  const before = statementsIn(ground.postgresLog())
  await timed(wire, request)
  // PostgreSQL's logging process may write the last statements a little later.
  await pause(200)
  const after = statementsIn(ground.postgresLog())
  wire.close()
  await server.stop()
  await inDatabase(account.databaseUrl, `alter database ${name} reset log_statement`)
  return after - before
}

const statementsIn = (log: string): number => log.match(/LOG: {2}(execute|statement)\b/g)?.length ?? 0
