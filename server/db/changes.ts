import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { z } from 'zod'
import { accountChange } from '../../contract/frames.ts'
import type { Queryable } from './connect.ts'

const CHANNEL = 'conclave_accounts'
const CONNECT_MS = 5000
const RETRY_FIRST_MS = 200
const RETRY_MAX_MS = 10_000

const announced = z.object({ userId: z.uuid(), what: accountChange })
export type Change = z.infer<typeof announced>

/**
 * Tells every node that something of these accounts changed, at COMMIT and only then. Whatever writes to an account calls it
 * inside its transaction. It names the account and the kind of change: whoever may connect to the database can listen.
 */
export async function announceChange(tx: Queryable, userIds: readonly string[], what: Change['what']): Promise<void> {
  const payloads = userIds.map((userId) => JSON.stringify({ userId, what }))
  await tx.execute(sql`select pg_notify(${CHANNEL}, payload) from unnest(${sql.param(payloads)}::text[]) payload`)
}

interface Hooks {
  onChange: (change: Change) => void
  /** The channel is open, for the first time or again: what was announced before was missed. */
  onOpen: () => void
  /** The connection was lost, or cannot be made. Told once; it is tried again until `stop`. */
  onLost: () => void
}

/**
 * Follows the announcements of all nodes on a connection of its own, which it makes again when it is lost. Answers `stop` once
 * the first attempt is over. PostgreSQL keeps LISTEN by connection: a pooler that hands connections from transaction to
 * transaction passes nothing on.
 */
export async function followChanges(url: string, { onChange, onOpen, onLost }: Hooks): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  let current: pg.Client | undefined

  /** Resolves when the connection is open or has failed; `ended` when it is over. */
  async function open(): Promise<{ ended: Promise<unknown>; isOpen: boolean }> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
    current = client
    const ended = new Promise((resolve) => client.once('end', resolve).once('error', resolve))
    // After the first one too: an error that nobody hears would end the process.
    client.on('error', () => undefined)
    client.on('notification', ({ payload }) => {
      const change = readChange(payload)
      if (change) onChange(change)
    })
    try {
      await client.connect()
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

/** What another program writes into the channel is passed over. */
function readChange(payload: string | undefined): Change | undefined {
  try {
    return announced.safeParse(JSON.parse(payload ?? '')).data
  } catch {
    return undefined
  }
}
