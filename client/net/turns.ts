const turns = new Map<string, Promise<unknown>>()

/** One piece of work at a time under one name, in the order of asking. A failure of one does not stop the next. */
export function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(name) ?? Promise.resolve()).then(work, work)
  turns.set(name, mine)
  const forget = () => void (turns.get(name) === mine && turns.delete(name))
  mine.then(forget, forget)
  return mine
}
