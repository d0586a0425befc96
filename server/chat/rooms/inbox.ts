import type { Db } from '../../ground/db/connect.ts'
import * as store from './store-inbox.ts'

/** Others that compare the same account at the same time; each that is behind has seen another one finish. */
const TRIES = 50

export interface Reached {
  /** Everything that the account is shown now has this number or a lower one. */
  lastNumber: number
  /** Numbers below it are void. */
  floor: number
}

/**
 * Brings the account's inbox up to what its room list shows now: a row that differs from what was shown takes the next number of the
 * account's own sequence, and no other row does. What others do and the account is not shown moves nothing.
 */
export async function bringUp(db: Db, userId: string): Promise<Reached> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const inbox = await store.readInbox(db, userId)
    if (!inbox) {
      await store.makeInbox(db, userId)
      continue
    }
    const { lastNumber, floor, leftIn, isKept, roomIds } = inbox
    const isNew = !isKept || leftIn !== null
    if (!isNew && roomIds.length === 0) return { lastNumber, floor }
    const reached = await store.raise(db, userId, inbox, { roomIds: isNew ? await store.everyRoom(db, userId) : roomIds, isNew })
    if (reached !== undefined) return { lastNumber: reached, floor: isNew ? reached : floor }
  }
  throw new Error('The inbox is compared by too many requests at once')
}
