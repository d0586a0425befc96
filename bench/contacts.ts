import { roomsApi } from '../contract/chat/rooms.ts'
import { type Ground, inDatabase } from './ground.ts'
import { median } from './numbers.ts'
import { pause, startProduct } from './program.ts'
import { type Row, row } from './row.ts'
import type { LargeAccount } from './seed.ts'
import { openWire, requestOf, timed } from './wire.ts'

/**
 * Measures the lists of a user with 1,000 contacts, in a database with 1,000,000 messages: a page of contacts, the first page of the room
 * list, and its changes after one.
 */
export async function measureContacts(ground: Ground): Promise<Row[]> {
  const account = await ground.largeAccount()
  const [rounds, asks] = ground.isQuick ? [1, 5] : [5, 20]
  const server = await startProduct(account.databaseUrl)
  const wire = await openWire(server.port)
  const asking = (path: string) => timed(wire, requestOf('GET', path, account.user.cookie))
  const calls = ['/api/contacts', '/api/rooms', 'since', '/api/user'] as const
  type Call = (typeof calls)[number]
  const times = Object.fromEntries(calls.map((call) => [call, [] as number[]])) as Record<Call, number[]>
  const bytes = {} as Record<Call, number>
  let counter = ''
  for (let round = -1; round < rounds; round++) {
    for (let at = 0; at < asks; at++) {
      for (const call of calls) {
        if (call === 'since') await inDatabase(account.databaseUrl, changeOf(account.chatRoomId))
        const answer = await asking(call === 'since' ? `/api/rooms?since=${counter}` : call)
        bytes[call] = answer.body.length
        if (call === '/api/rooms' || call === 'since') {
          const page = roomsApi.list.output.parse(JSON.parse(answer.body.toString()))
          counter = page.counter ?? ''
          if (call === 'since' && page.rooms.length !== 1) throw new Error(`One change was answered by ${page.rooms.length} rows`)
        }
        // The first round warms up.
        if (round >= 0) times[call].push(answer.ms)
      }
    }
  }
  wire.close()
  await server.stop()
  const queries = await countQueries(ground, account, requestOf('GET', '/api/contacts', account.user.cookie))
  const kB = (call: Call) => `${(bytes[call] / 1024).toFixed(1)} kB of JSON`
  const beside = `GET /api/user takes ${median(times['/api/user']).toFixed(2)} ms beside it`
  return [
    row('contacts', 'GET /api/contacts', median(times['/api/contacts']), 'ms', {
      note: `a page of ${account.contacts} contacts, ${kB('/api/contacts')}; ${beside}; for programs, the app does not ask for it`,
    }),
    row('contacts', 'its queries, without the one of the session', queries - 1, 'queries', {
      ...{ atMost: 2, note: 'what is new, and the page' },
    }),
    row('contacts', 'first page of the room list', median(times['/api/rooms']), 'ms', {
      ...{ atMost: 6, note: `50 of ${account.contacts} rows, ${kB('/api/rooms')}; ${beside}` },
    }),
    row('contacts', 'the room list after one change', median(times.since), 'ms', {
      ...{ atMost: 6, note: `one row of ${account.contacts}, ${kB('since')}; ${beside}` },
    }),
  ]
}

/** A change that the row of this room shows. */
const changeOf = (chatRoomId: string) => `update chat_participants set read_at = now() where chat_room_id = '${chatRoomId}'`

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
