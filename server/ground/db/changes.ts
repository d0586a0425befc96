import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { z } from 'zod'
import { accountChange } from '../../../contract/frames.ts'
import type { Queryable } from './connect.ts'

const CHANNEL = 'conclave_accounts'
const CONNECT_MS = 5000
const RETRY_FIRST_MS = 200
const RETRY_MAX_MS = 1000

const announced = z.object({ userId: z.uuid(), what: accountChange })
export type Change = z.infer<typeof announced>

/** Channel for news of people, whom the other nodes then read. */
export const PRESENCE_CHANNEL = 'conclave_presence'
const ids = z.array(z.uuid()).max(200)
/** `viewers` are shown another thing than before. */
const news = z.object({ node: z.uuid(), what: z.enum(['moved', 'switched']), userIds: ids, viewers: ids.optional() })
export type PresenceNews = z.infer<typeof news>

/** Announces at COMMIT. Every writer of an account must call this. Any database user can listen. */
export async function announceChange(tx: Queryable, userIds: readonly string[], what: Change['what']): Promise<void> {
  const payloads = userIds.map((userId) => JSON.stringify({ userId, what }))
  await tx.execute(sql`select pg_notify(${CHANNEL}, payload) from unnest(${sql.param(payloads)}::text[]) payload`)
}

/** A notification holds 8,000 bytes. */
const VIEWERS_AT_ONCE = 150

/** Announces at COMMIT. */
export async function announceSwitched(tx: Queryable, node: string, userId: string, viewers: string[]): Promise<void> {
  for (let from = 0; from < viewers.length; from += VIEWERS_AT_ONCE) {
    const some = viewers.slice(from, from + VIEWERS_AT_ONCE)
    const payload: PresenceNews = { node, what: 'switched', userIds: [userId], viewers: some }
    await tx.execute(sql`select pg_notify(${PRESENCE_CHANNEL}, ${JSON.stringify(payload)})`)
  }
}

interface Hooks {
  onChange: (change: Change) => void
  onPresence: (news: PresenceNews) => void
  /** Earlier announcements may be lost. */
  onOpen: () => void
  /** Runs once per loss. */
  onLost: () => void
}

/** Resolves to `stop` after the first attempt. Poolers in transaction mode break LISTEN. */
export async function followChanges(url: string, { onChange, onPresence, onOpen, onLost }: Hooks): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  let current: pg.Client | undefined

  async function open(): Promise<{ ended: Promise<unknown>; isOpen: boolean }> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
    current = client
    const ended = new Promise((resolve) => client.once('end', resolve).once('error', resolve))
    // An unhandled 'error' would end the process.
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

function read<Shape extends z.ZodType>(shape: Shape, payload: string | undefined): z.output<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(payload ?? '')).data
  } catch {
    return undefined
  }
}
