import type { Db } from '../../ground/db/connect.ts'
import * as store from './store-inbox.ts'
import { settle } from './store-settle.ts'

/** Each repetition has seen another request finish. */
const TRIES = 50

/** Chats of every day stay below it, and change no index. */
const STALE_MAX = 64
const SETTLED_AT_ONCE = 1000

export interface Reached {
  lastNumber: number
  /** Lower numbers are void. */
  floor: number
}

/** A row that looks other than it was shown takes the account's next number, and no other row does (decision 0105). */
export async function bringUp(db: Db, userId: string): Promise<Reached> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const inbox = await store.readInbox(db, userId)
    if (!inbox) {
      await store.makeInbox(db, userId)
      continue
    }
    const { lastNumber, floor, leftIn, isKept, roomIds, staleRows, comparedTo } = inbox
    const isNew = !isKept || leftIn !== null
    if (isKept && staleRows > STALE_MAX) await settle(db, userId, comparedTo, SETTLED_AT_ONCE)
    if (!isNew && roomIds.length === 0) return { lastNumber, floor }
    const reached = await store.raise(db, userId, inbox, { roomIds: isNew ? await store.everyRoom(db, userId) : roomIds, isNew })
    if (reached !== undefined) return { lastNumber: reached, floor: isNew ? reached : floor }
  }
  throw new Error('The inbox is compared by too many requests at once')
}
