/** The search field is 0; rows and other finds follow, up to `last`. */
interface Stops {
  at: number
  last: number
  /** Rows that a page of the list has. */
  pageRows: number
}

/** Returns where a key moves the focus to, the same place at an end; undefined if the key is not for the list. */
export function stopAfter(key: string, { at, last, pageRows }: Stops): number | undefined {
  if (key === 'ArrowDown') return Math.min(at + 1, last)
  if (key === 'ArrowUp') return Math.max(at - 1, 0)
  // In the search field these keys are for the text.
  if (at === 0) return undefined
  const page = Math.max(pageRows, 1)
  if (key === 'Home') return 1
  if (key === 'End') return last
  if (key === 'PageDown') return Math.min(at + page, last)
  if (key === 'PageUp') return Math.max(at - page, 1)
  return undefined
}
