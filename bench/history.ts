import { membersOfDirectRoom } from '../contract/ground/shapes.ts'
import { type Ground, withClient } from './ground.ts'
import { median } from './numbers.ts'
import { startProduct } from './program.ts'
import { type Row, row } from './row.ts'
import { openWire, requestOf, timed } from './wire.ts'

const PAGE = 50

/** Measures a page at any place of a room with 1,000,000 messages, and the unread count of a user with 1,000 rooms. */
export async function measureHistory(ground: Ground): Promise<Row[]> {
  const { databaseUrl, user, chatRoomId, messages } = await ground.largeAccount()
  const [rounds, asks, offsets] = ground.isQuick ? [1, 5, 1] : [5, 40, 3]
  const server = await startProduct(databaseUrl)
  const wire = await openWire(server.port)
  const get = async (path: string) => (await timed(wire, requestOf('GET', path, user.cookie))).ms
  const times: Record<'page' | 'unread' | 'self', number[]> = { page: [], unread: [], self: [] }
  const sql: Record<'keyset' | 'offset' | 'counting', number[]> = { keyset: [], offset: [], counting: [] }

  await withClient(databaseUrl, async (client) => {
    const query = async (text: string, values: unknown[]) => {
      const startedAt = performance.now()
      await client.query(text, values)
      return performance.now() - startedAt
    }
    for (let round = -1; round < rounds; round++) {
      const isMeasured = round >= 0
      for (let at = 0; at < asks; at++) {
        const before = placeIn(messages, round + 1, at, asks)
        const page = await get(`/api/messages?chatRoomId=${chatRoomId}&before=${before}&limit=${PAGE}`)
        const [unread, self] = [await get('/api/notifications/unread-count'), await get('/api/user')]
        const keyset = await query(KEYSET, [chatRoomId, before])
        if (!isMeasured) continue
        times.page.push(page)
        times.unread.push(unread)
        times.self.push(self)
        sql.keyset.push(keyset)
      }
      for (let at = 0; at < offsets && isMeasured; at++) {
        sql.offset.push(await query(OFFSET, [chatRoomId, messages - placeIn(messages, round, at, offsets)]))
        sql.counting.push(await query(COUNTING, [chatRoomId, membersOfDirectRoom(chatRoomId).find((id) => id === user.id)]))
      }
    }
  })
  wire.close()
  await server.stop()
  const self = median(times.self)
  const bySql = `in SQL alone: by keys ${median(sql.keyset).toFixed(2)} ms, by OFFSET ${median(sql.offset).toFixed(0)} ms`
  return [
    row('history', `page of ${PAGE} anywhere in ${messages.toLocaleString('en')} messages`, median(times.page), 'ms', {
      atMost: 1.5,
      note: `GET /api/messages; ${bySql}; GET /api/user takes ${self.toFixed(2)} ms beside it`,
    }),
    row('history', 'unread count, above GET /api/user', Math.max(0, median(times.unread) - self), 'ms', {
      atMost: 0.3,
      note: `the whole call takes ${median(times.unread).toFixed(2)} ms; counting rows in SQL ${median(sql.counting).toFixed(0)} ms`,
    }),
  ]
}

const KEYSET =
  'select * from messages where room = (select number from chat_rooms where id = $1) and seq < $2 order by seq desc limit 50'
const OFFSET =
  'select * from messages where room = (select number from chat_rooms where id = $1) order by seq desc limit 50 offset $2'
const COUNTING = 'select count(*) from messages where room = (select number from chat_rooms where id = $1) and sender_id <> $2'

/** A seq in the room. The places of a round spread over the whole room and differ from round to round. */
const placeIn = (messages: number, round: number, at: number, count: number): number =>
  Math.max(PAGE + 1, Math.ceil((messages * ((at + 1) / count + round * 0.137)) % messages))
