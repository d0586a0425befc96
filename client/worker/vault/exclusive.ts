const queues = new Map<string, Promise<unknown>>()

/**
 * Runs `work` alone among all calls with this name: across tabs and workers by a Web Lock, or within this thread if there are
 * none (Node). Returns and throws what `work` does. A call with the same name inside `work` deadlocks.
 */
export async function exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (typeof navigator !== 'undefined' && navigator.locks) return await navigator.locks.request(`conclave/${name}`, work)
  const before = queues.get(name) ?? Promise.resolve()
  const mine = before.then(work)
  // The next call waits for the end of this one, whether it fails or not; only the caller sees the failure.
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

/** Runs `work` as `exclusive` does if nobody holds or awaits that name, else not at all: then the result is undefined. */
export async function exclusiveIfFree<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  if (typeof navigator !== 'undefined' && navigator.locks)
    return await navigator.locks.request(`conclave/${name}`, { ifAvailable: true }, async (lock) =>
      lock ? await work() : undefined,
    )
  return queues.has(name) ? undefined : await exclusive(name, work)
}
