import type { OutboxRow } from '../../worker/crypto.ts'

/** A message that is on its way into the vault: until it is there, the screen shows it from memory. */
export interface Keeping {
  row: OutboxRow
  hasFailed: boolean
}

const keeping = new Map<string, Keeping[]>()

/**
 * The messages of a room that may not have been in the vault when a refresh under way read its outbox. Ask after reading the outbox,
 * so that one that was begun meanwhile is not missed.
 */
export const keepingIn = (chatRoomId: string): Keeping[] => keeping.get(chatRoomId) ?? []

/**
 * Runs `keep`, and lists the row among those on their way until it is done and `refreshed` has resolved: once the refreshes that may
 * have read the outbox before have ended.
 */
export async function whileKept<T>(row: OutboxRow, keep: () => Promise<T>, refreshed: () => Promise<void>): Promise<T> {
  const one: Keeping = { row, hasFailed: false }
  keeping.set(row.chatRoomId, [...keepingIn(row.chatRoomId), one])
  try {
    return await keep()
  } catch (error) {
    one.hasFailed = true
    throw error
  } finally {
    void refreshed().finally(() => {
      const left = keepingIn(row.chatRoomId).filter((other) => other !== one)
      if (left.length > 0) keeping.set(row.chatRoomId, left)
      else keeping.delete(row.chatRoomId)
    })
  }
}
