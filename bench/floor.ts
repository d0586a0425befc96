import Fastify from 'fastify'
import pg from 'pg'
import { membersOfDirectRoom } from '../contract/shapes.ts'

// The floor of the send figure: Fastify stores the same bytes in rows like the product's, with the same indexes. It has no sessions,
// contracts, locks, counters or fan-out. Like the product, it answers when a message is durable.

interface Posted {
  id: string
  chatRoomId: string
  content: string
}

interface Waiting {
  posted: Posted
  seq: number
  resolve: () => void
  reject: (error: unknown) => void
}

const BATCH_MAX = 256
const INSERT = `insert into floor_messages (chat_room_id, seq, id, sender_id, content, message_type, is_encrypted, created_at)
  select room, seq, id, sender, content, 'text', true, $6
  from unnest($1::text[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[]) as t(room, seq, id, sender, content)`
const pool = new pg.Pool({ connectionString: process.argv[2], max: 2 })
await pool.query('create table floor_messages (like messages including all)')

const waiting: Waiting[] = []
const places = new Map<string, number>()
let isFlushing = false

/** Stores all waiting messages in one transaction. */
async function flush(): Promise<void> {
  if (isFlushing) return
  isFlushing = true
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_MAX)
    try {
      await pool.query(INSERT, [
        batch.map(({ posted }) => posted.chatRoomId),
        batch.map(({ seq }) => seq),
        batch.map(({ posted }) => posted.id),
        batch.map(({ posted }) => membersOfDirectRoom(posted.chatRoomId)[0]),
        batch.map(({ posted }) => posted.content),
        new Date(),
      ])
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  isFlushing = false
}

const app = Fastify()
app.post<{ Body: Posted }>('/api/messages', async ({ body }) => {
  await new Promise<void>((resolve, reject) => {
    const seq = (places.get(body.chatRoomId) ?? 0) + 1
    places.set(body.chatRoomId, seq)
    waiting.push({ posted: body, seq, resolve, reject })
    void flush()
  })
  return { ok: true }
})
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
console.log(`ready at http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
process.once(
  'SIGTERM',
  () =>
    void app
      .close()
      .then(() => pool.end())
      .then(() => process.exit(0)),
)
