/**
 * Caches the newest `limit` results of a pure function. Danger: `input` must tell all that the result depends on. Errors and
 * undefined are not cached.
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
