import { CryptoFailure } from '../primitives/failure.ts'
import { answerOf, committed } from './database.ts'
import { isUnchanged, LOCKS, type LocksRead } from './roomlocks.ts'
import { MARKS, type MarkChange, type Marks, parseMarks, raisedMarks } from './vaultMarks.ts'
import type { Sealed, VaultStore } from './vaultRows.ts'

export type Begin = (stores: (VaultStore | 'meta')[], mode: IDBTransactionMode) => IDBTransaction

/** Returns false, without writing, if the rooms' locks changed. */
export async function commit(
  begin: Begin,
  writes: Sealed[],
  read: LocksRead,
  mark?: { userId: string; changes: MarkChange[] },
): Promise<boolean> {
  if (writes.length === 0) return true
  const stores = new Set<VaultStore | 'meta'>(['sealed', ...writes.map((write) => write.store)])
  if (mark) stores.add('meta')
  const transaction = begin([...stores], 'readwrite')
  const end = committed(transaction)
  let isStale = false
  const asked = transaction.objectStore('sealed').get(LOCKS)
  asked.onsuccess = () => {
    isStale = !isUnchanged(read, asked.result)
    if (isStale) abort(transaction)
  }
  try {
    for (const { store, key, sealed } of writes) {
      if (sealed) transaction.objectStore(store).put(sealed, key)
      else transaction.objectStore(store).delete(key)
    }
    if (mark) await raiseMarks(transaction.objectStore('meta'), mark.userId, mark.changes)
  } catch (error) {
    abort(transaction)
    await end.catch(() => undefined)
    if (isStale) return false
    throw asFailure(error)
  }
  await end.catch((error: unknown) => {
    if (!isStale) throw asFailure(error)
  })
  return !isStale
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error
  }
}

/** Marks must not name a document that the vault lacks. */
async function raiseMarks(meta: IDBObjectStore, userId: string, changes: MarkChange[]): Promise<void> {
  const known = parseMarks(await answerOf(meta.get(MARKS)))
  const marks = changes.reduce<Marks | undefined>((before, change) => raisedMarks(userId, before, change), known)
  if (marks) meta.put(marks, MARKS)
}

function asFailure(error: unknown): unknown {
  const isFull = error instanceof Error && error.name === 'QuotaExceededError'
  return isFull ? new CryptoFailure('quota', 'This browser has no room left', { cause: error }) : error
}
