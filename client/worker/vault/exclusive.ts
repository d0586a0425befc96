const queues = new Map<string, Promise<unknown>>()

/** Runs `work` alone across tabs, in Node within the thread. Nesting the same name deadlocks. */
export async function exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (typeof navigator !== 'undefined' && navigator.locks) return await navigator.locks.request(`conclave/${name}`, work)
  const before = queues.get(name) ?? Promise.resolve()
  const mine = before.then(work)
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

/** Runs `work`, or returns undefined if the name is taken. */
export async function exclusiveIfFree<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  if (typeof navigator !== 'undefined' && navigator.locks)
    return await navigator.locks.request(`conclave/${name}`, { ifAvailable: true }, async (lock) =>
      lock ? await work() : undefined,
    )
  return queues.has(name) ? undefined : await exclusive(name, work)
}
