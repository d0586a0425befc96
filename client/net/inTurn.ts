const queues = new WeakMap<object, Map<string, Promise<unknown>>>()

/** Keeps the order of the calls; a failure stops no later work. `page` owns the queue. */
export function inTurn<T>(page: object, name: string, work: () => Promise<T>): Promise<T> {
  const turns = queues.get(page) ?? new Map<string, Promise<unknown>>()
  queues.set(page, turns)
  const mine = (turns.get(name) ?? Promise.resolve()).then(work, work)
  turns.set(name, mine)
  const forget = () => void (turns.get(name) === mine && turns.delete(name))
  mine.then(forget, forget)
  return mine
}

export const isInTurn = (page: object, name: string): boolean => queues.get(page)?.has(name) ?? false

/** Throws the first failure after all lanes have stopped. */
export async function inLanes<T>(lanes: number, list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = list[Symbol.iterator]()
  const failures: unknown[] = []
  const lane = async () => {
    for (let next = rest.next(); !next.done && failures.length === 0; next = rest.next()) {
      await work(next.value).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, list.length) }, lane))
  if (failures.length > 0) throw failures[0]
}
