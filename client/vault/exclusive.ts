const queues = new Map<string, Promise<unknown>>()

/**
 * Runs `work` alone among all that ask for this name: across tabs and workers by a Web Lock, within this thread where there
 * are none (Node). Answers and throws what `work` does. Asking for the same name inside `work` waits for ever.
 */
export async function exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (typeof navigator !== 'undefined' && navigator.locks) return await navigator.locks.request(`conclave/${name}`, work)
  const before = queues.get(name) ?? Promise.resolve()
  const mine = before.then(work)
  // The next in line waits for the end, whatever it was; only the caller learns of a failure.
  const end = mine.then(
    () => undefined,
    () => undefined,
  )
  queues.set(name, end)
  try {
    return await mine
  } finally {
    if (queues.get(name) === end) queues.delete(name)
  }
}
