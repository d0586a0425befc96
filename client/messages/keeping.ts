import type { OutboxRow } from '../crypto/crypto.ts'

/** A message that is on its way into the vault: until it is there, the screen shows it from memory. */
export interface Keeping {
  row: OutboxRow
  hasFailed: boolean
}

const keeping = new Map<string, Keeping[]>()

/** The messages of a room that were not in the vault at this moment. Ask before reading the outbox, so that none is missed. */
export const keepingIn = (chatRoomId: string): Keeping[] => keeping.get(chatRoomId) ?? []

/** Runs `keep`, and lists the row among those on their way until it is done. */
export async function whileKept<T>(row: OutboxRow, keep: () => Promise<T>): Promise<T> {
  const one: Keeping = { row, hasFailed: false }
  keeping.set(row.chatRoomId, [...keepingIn(row.chatRoomId), one])
  try {
    return await keep()
  } catch (error) {
    one.hasFailed = true
    throw error
  } finally {
    const left = keepingIn(row.chatRoomId).filter((other) => other !== one)
    if (left.length > 0) keeping.set(row.chatRoomId, left)
    else keeping.delete(row.chatRoomId)
  }
}
