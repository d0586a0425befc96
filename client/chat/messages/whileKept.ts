import type { OutboxRow } from '../../worker/crypto.ts'

/** The screen shows the message from memory until the vault has it. */
export interface Keeping {
  row: OutboxRow
  hasFailed: boolean
}

const keeping = new Map<string, Keeping[]>()

/** Callers read the outbox first, so that no message begun meanwhile is missed. */
export const keepingIn = (chatRoomId: string): Keeping[] => keeping.get(chatRoomId) ?? []

/** Lists the row until `keep` and the refreshes that may have missed the row have ended. */
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
