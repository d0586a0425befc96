import type { Queryable } from '../../ground/db/connect.ts'
import * as store from './store.ts'
import type { CardEnv } from './sync.ts'

const turns = new Map<string, Promise<unknown>>()

/**
 * Cards at which this process works at the same time. Each holds one of the sixteen connections of the database while the provider
 * answers: where that takes its time, everybody else goes on.
 */
const AT_ONCE = 8
let running = 0
const queue: (() => void)[] = []

async function inLane<T>(work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running += 1
  else await new Promise<void>((resolve) => queue.push(resolve))
  try {
    return await work()
  } finally {
    // The next one takes this place.
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
}

/**
 * Runs work on an account’s card in a transaction of its own, one after another in this process, so that those who wait hold no connection
 * of the database. Work asks the provider before it writes: what is written locks the account’s row, which every message of the account needs.
 */
export async function inTurn<T>({ db }: Pick<CardEnv, 'db'>, userId: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const before = turns.get(userId) ?? Promise.resolve()
  const next = () =>
    inLane(() =>
      db.transaction(async (tx) => {
        await store.awaitProvider(tx)
        return await work(tx)
      }),
    )
  const turn = before.then(next, next)
  turns.set(userId, turn)
  try {
    return await turn
  } finally {
    if (turns.get(userId) === turn) turns.delete(userId)
  }
}
