/**
 * Remembers the newest `limit` answers of a pure function, each under a text that says all of its input. What throws or answers
 * undefined is asked again.
 */
export function remembering<T>(limit: number): (input: string, find: () => T | undefined) => T | undefined {
  const known = new Map<string, T>()
  return (input, find) => {
    const found = known.get(input) ?? find()
    known.delete(input)
    if (found !== undefined) known.set(input, found)
    const oldest = known.keys().next()
    if (known.size > limit && !oldest.done) known.delete(oldest.value)
    return found
  }
}
