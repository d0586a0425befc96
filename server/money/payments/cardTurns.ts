import type { Queryable } from '../../ground/db/connect.ts'
import { withKnownCustomer } from './customer.ts'
import * as store from './store.ts'
import type { CardEnv } from './sync.ts'

const turns = new Map<string, Promise<unknown>>()

/** Each card holds one of sixteen database connections while the provider answers. */
const AT_ONCE = 8
let running = 0
const queue: (() => void)[] = []

async function inLane<T>(work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running += 1
  else await new Promise<void>((resolve) => queue.push(resolve))
  try {
    return await work()
  } finally {
    // The next turn takes this place.
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
}

/**
 * Waiting turns hold no connection. Work asks the provider before it writes: a write locks the account's row, which every message
 * needs.
 */
export async function inTurn<T>(env: CardEnv, userId: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const before = turns.get(userId) ?? Promise.resolve()
  const next = () =>
    inLane(() =>
      withKnownCustomer(env, userId, () =>
        env.db.transaction(async (tx) => {
          await store.awaitProvider(tx)
          return await work(tx)
        }),
      ),
    )
  const turn = before.then(next, next)
  turns.set(userId, turn)
  try {
    return await turn
  } finally {
    if (turns.get(userId) === turn) turns.delete(userId)
  }
}
