import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { z } from 'zod'
import { accountChange } from '../../../contract/frames.ts'
import type { Queryable } from './connect.ts'

const CHANNEL = 'conclave_accounts'
const CONNECT_MS = 5000
const RETRY_FIRST_MS = 200
const RETRY_MAX_MS = 10_000

const announced = z.object({ userId: z.uuid(), what: accountChange })
export type Change = z.infer<typeof announced>

/** What one node tells the others of people, whom they then read: who has come or gone, or shows another thing than before. */
export const PRESENCE_CHANNEL = 'conclave_presence'
const news = z.object({ node: z.uuid(), what: z.enum(['moved', 'switched']), userIds: z.array(z.uuid()).max(200) })
export type PresenceNews = z.infer<typeof news>

/**
 * Announces to every node that these accounts have changed. PostgreSQL delivers it at COMMIT. Every writer of an account calls it
 * inside its transaction. The announcement holds the user id and the kind of change alone, because any database user can listen.
 */
export async function announceChange(tx: Queryable, userIds: readonly string[], what: Change['what']): Promise<void> {
  const payloads = userIds.map((userId) => JSON.stringify({ userId, what }))
  await tx.execute(sql`select pg_notify(${CHANNEL}, payload) from unnest(${sql.param(payloads)}::text[]) payload`)
}

/** Tells the other nodes inside the caller's transaction that this person shows another thing than before. */
export async function announceSwitched(tx: Queryable, node: string, userId: string): Promise<void> {
  const payload: PresenceNews = { node, what: 'switched', userIds: [userId] }
  await tx.execute(sql`select pg_notify(${PRESENCE_CHANNEL}, ${JSON.stringify(payload)})`)
}

interface Hooks {
  onChange: (change: Change) => void
  /** Called with the news of every node, the own ones too. */
  onPresence: (news: PresenceNews) => void
  /** The channel is open, for the first time or again. Announcements made while it was closed are lost. */
  onOpen: () => void
  /** The connection is lost or cannot be made. Called once per loss; attempts go on until `stop`. */
  onLost: () => void
}

/**
 * Receives the announcements of all nodes on a connection of its own, and reconnects when that is lost. Resolves to `stop` after
 * the first attempt. LISTEN belongs to a connection, so announcements do not pass a pooler in transaction mode.
 */
export async function followChanges(url: string, { onChange, onPresence, onOpen, onLost }: Hooks): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  let current: pg.Client | undefined

  /** Resolves when the connection is open or has failed. `ended` resolves when it is closed. */
  async function open(): Promise<{ ended: Promise<unknown>; isOpen: boolean }> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
    current = client
    const ended = new Promise((resolve) => client.once('end', resolve).once('error', resolve))
    // The listener stays after the first error, because an unhandled 'error' event would end the process.
    client.on('error', () => undefined)
    client.on('notification', ({ channel, payload }) => {
      const [change, moved] = channel === CHANNEL ? [read(announced, payload)] : [undefined, read(news, payload)]
      if (change) onChange(change)
      if (moved) onPresence(moved)
    })
    try {
      await client.connect()
      await client.query(`listen ${PRESENCE_CHANNEL}`)
      await client.query(`listen ${CHANNEL}`)
      onOpen()
      return { ended, isOpen: true }
    } catch {
      return { ended: Promise.resolve(), isOpen: false }
    }
  }

  async function keepOpen(first: { ended: Promise<unknown>; isOpen: boolean }): Promise<void> {
    let { ended, isOpen } = first
    let retryMs = RETRY_FIRST_MS
    let isTold = false
    for (;;) {
      await ended
      await current?.end().catch(() => undefined)
      if (stopping.signal.aborted) return
      if (isOpen) retryMs = RETRY_FIRST_MS
      if (isOpen || !isTold) onLost()
      isTold = true
      await wait(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS)
      ;({ ended, isOpen } = await open())
    }
  }

  const kept = keepOpen(await open())
  return async () => {
    stopping.abort()
    await current?.end().catch(() => undefined)
    await kept
  }
}

/** Parses a payload. Returns undefined for those of other programs. */
function read<Shape extends z.ZodType>(shape: Shape, payload: string | undefined): z.output<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(payload ?? '')).data
  } catch {
    return undefined
  }
}
