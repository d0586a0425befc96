/** Ends the pauses under way. */
const pauses = new Set<() => void>()

/** Tells at once what waits: the page may end. */
export function tellMarks(): void {
  for (const end of pauses) end()
}

export const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const end = () => {
      pauses.delete(end)
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, ms)
    pauses.add(end)
  })
