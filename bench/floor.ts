import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'
import { membersOfDirectRoom } from '../contract/ground/shapes.ts'

// The floor of the send figure: what a message needs, and nothing of the product. Fastify reads it, one statement looks up the
// session, puts the same bytes into rows with the same indexes and moves the room on, and the receiver gets one frame by ws. It has
// no contracts, locks, rights, epochs or counters. Like the product, it answers when a message is durable.

interface Posted {
  id: string
  chatRoomId: string
  content: string
}

interface Waiting {
  posted: Posted
  tokenHash: Buffer
  seq: number
  resolve: () => void
  reject: (error: unknown) => void
}

const BATCH_MAX = 256
const INSERT = `with posted as (
    select t.*, s.user_id as sender from unnest($1::bytea[], $2::text[], $3::bigint[], $4::uuid[], $5::text[]) as t(token, room, seq, id, content)
    join sessions s on s.token_hash = t.token and s.expires_at > $6
  ), moved as (
    update chat_rooms r set last_seq = p.seq, last_message_seq = p.seq, last_message_at = $6
    from (select room, max(seq) as seq from posted group by room) p where r.id = p.room
  )
  insert into floor_messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
  select r.number, p.seq, p.id, p.sender, p.content, 'text', true, $6 from posted p join chat_rooms r on r.id = p.room`
const pool = new pg.Pool({ connectionString: process.argv[2], max: 2 })
await pool.query('create table floor_messages (like messages including all)')

const waiting: Waiting[] = []
const places = new Map<string, number>()
const sockets = new Map<string, WebSocket>()
let isFlushing = false

/** Stores all waiting messages in one transaction. */
async function flush(): Promise<void> {
  if (isFlushing) return
  isFlushing = true
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_MAX)
    try {
      const { rowCount } = await pool.query({
        name: 'insert',
        text: INSERT,
        values: [
          batch.map(({ tokenHash }) => tokenHash),
          batch.map(({ posted }) => posted.chatRoomId),
          batch.map(({ seq }) => seq),
          batch.map(({ posted }) => posted.id),
          batch.map(({ posted }) => posted.content),
          new Date(),
        ],
      })
      if (rowCount !== batch.length) throw new Error('A session is unknown')
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  isFlushing = false
}

const hashOfCookie = (cookie = ''): Buffer =>
  createHash('sha256')
    .update(cookie.slice(cookie.indexOf('=') + 1))
    .digest()

const app = Fastify()
app.post<{ Body: Posted }>('/api/messages', async ({ body, headers }) => {
  const tokenHash = hashOfCookie(headers.cookie)
  await new Promise<void>((resolve, reject) => {
    const seq = (places.get(body.chatRoomId) ?? 0) + 1
    places.set(body.chatRoomId, seq)
    waiting.push({ posted: body, tokenHash, seq, resolve, reject })
    void flush()
  })
  const text = JSON.stringify({ type: 'message', data: body })
  for (const member of membersOfDirectRoom(body.chatRoomId)) sockets.get(member)?.send(text)
  return { ok: true }
})
const gate = new WebSocketServer({ noServer: true, perMessageDeflate: false })
app.server.on('upgrade', (request, socket, head) => {
  void pool
    .query<{ user_id: string }>('select user_id from sessions where token_hash = $1', [hashOfCookie(request.headers.cookie)])
    .then(({ rows: [session] }) =>
      gate.handleUpgrade(request, socket, head, (opened) => {
        if (session) sockets.set(session.user_id, opened)
      }),
    )
})
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
console.log(`ready at http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
process.once('SIGTERM', () => {
  for (const socket of sockets.values()) socket.terminate()
  void app
    .close()
    .then(() => pool.end())
    .then(() => process.exit(0))
})
