const queues = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Runs work of one name one after another, in the order of the calls. A failure does not stop the next piece. `page` is the owner of
 * the queue, such as an env, so that pages in one test do not wait for each other.
 */
export function inTurn<T>(page: object, name: string, work: () => Promise<T>): Promise<T> {
  const turns = queues.get(page) ?? new Map<string, Promise<unknown>>()
  queues.set(page, turns)
  const mine = (turns.get(name) ?? Promise.resolve()).then(work, work)
  turns.set(name, mine)
  const forget = () => void (turns.get(name) === mine && turns.delete(name))
  mine.then(forget, forget)
  return mine
}

/** True while work of this name runs or waits. */
export const isInTurn = (page: object, name: string): boolean => queues.get(page)?.has(name) ?? false

/** Runs `work` for each item of a list, at most `lanes` at a time. After all lanes have stopped, throws the first failure. */
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
