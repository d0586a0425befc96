import { randomBytes } from 'node:crypto'
import type { Queryable } from '../ground/db/connect.ts'
import { newId, SandboxError, shown, type Thing } from './objects.ts'
import * as store from './store.ts'
import { type Told, wholeOf } from './whole.ts'

/** How events are delivered. Tests change it; people get each once and in order. */
interface Delivery {
  copies: number
  isReversed: boolean
  /** True: they are kept until `deliver`. */
  isHeld: boolean
  /** As where an operator has chosen every kind. */
  isWhole: boolean
}

interface Dashboard {
  isPortalSaved: boolean
}

/** `lost`: done, without an answer. */
export type Trouble = 'refused' | 'lost' | undefined

/** A signed event, as it is posted. */
export interface Signed {
  payload: string
  signature: string
}

/**
 * A card provider without real money, which speaks the calls of Stripe that the adapter uses. One operation at a time; each tells by events
 * what it has done.
 */
export interface Sandbox {
  webhookSecret: string
  clock: () => Date
  delivery: Delivery
  dashboard: Dashboard
  calls: string[]
  /** Asked at each call. */
  trouble: () => Trouble
  /** Posts an event to the server, and returns the status of the answer. Set when the server is assembled. */
  post: (event: Signed) => Promise<number | undefined>
  /** Every event so far, the oldest first. */
  sent: Signed[]
  /** Runs one operation; its events follow when it has ended. */
  run<T>(operation: (desk: Desk) => Promise<T>): Promise<T>
  /** Delivers what waits. Resolves once everything has been answered. */
  deliver(): Promise<void>
}

/** What an operation works with. */
export interface Desk {
  now: number
  dashboard: Dashboard
  find<T extends Thing>(id: string, object: T['object']): Promise<T>
  list<T extends Thing>(object: T['object'], customer?: string): Promise<T[]>
  keep(thing: Thing): Promise<void>
  tell(type: Told['type'], object: object): void
}

export function openSandbox(db: Queryable, clock: () => Date): Sandbox {
  let last: Promise<unknown> = Promise.resolve()
  let waiting: Signed[] = []
  let delivering: Promise<void> = Promise.resolve()

  const sandbox: Sandbox = {
    webhookSecret: `whsec_${randomBytes(24).toString('hex')}`,
    clock,
    delivery: { copies: 1, isReversed: false, isHeld: false, isWhole: false },
    dashboard: { isPortalSaved: true },
    calls: [],
    trouble: () => undefined,
    post: async () => undefined,
    sent: [],
    async run(operation) {
      const told: Told[] = []
      const turn = last.then(
        () => operation(deskOf(db, sandbox, told)),
        () => operation(deskOf(db, sandbox, told)),
      )
      last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        const events = await Promise.all((sandbox.delivery.isWhole ? wholeOf(told) : told).map((each) => signed(sandbox, each)))
        sandbox.sent.push(...events)
        if (sandbox.sent.length > 1000) sandbox.sent.splice(0, 500)
        waiting.push(...events)
        // An operation may hold what the event waits for, so nobody waits here.
        if (!sandbox.delivery.isHeld) void sandbox.deliver()
      }
    },
    deliver() {
      delivering = delivering.then(async () => {
        const { copies, isReversed } = sandbox.delivery
        const events = isReversed ? waiting.toReversed() : waiting
        waiting = []
        for (const event of events) await Promise.all(Array.from({ length: copies }, () => sandbox.post(event)))
      })
      return delivering
    },
  }
  return sandbox
}

async function signed({ webhookSecret }: Sandbox, { type, object }: Told): Promise<Signed> {
  const { default: Stripe } = await import('stripe')
  const created = Math.floor(Date.now() / 1000)
  const event = { id: newId('evt'), object: 'event', created, type, livemode: false, data: { object: shown(object) } }
  const payload = JSON.stringify(event)
  return { payload, signature: Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret }) }
}

function deskOf(db: Queryable, { clock, dashboard }: Sandbox, told: Told[]): Desk {
  return {
    now: Math.floor(clock().getTime() / 1000),
    dashboard,
    async find<T extends Thing>(id: string, object: T['object']) {
      const body = await store.find(db, id)
      if (body?.['object'] !== object)
        throw new SandboxError(404, 'invalid_request_error', `No such ${object}: '${id}'`, 'resource_missing', 'id')
      // Only `keep` writes these rows, and each kind under its own name.
      return body as unknown as T
    },
    async list<T extends Thing>(object: T['object'], customer?: string) {
      return (await store.list(db, object, customer)) as unknown as T[]
    },
    async keep(thing) {
      const customer = '_customer' in thing ? thing._customer : 'customer' in thing ? thing.customer : null
      await store.keep(db, { id: thing.id, kind: thing.object, customer, body: { ...thing } })
    },
    tell: (type, object) => void told.push({ type, object: structuredClone(object) }),
  }
}
