/** Calls back once the next frame is painted: for what need not stand in it. Returns how to cancel. */
export function whenPainted(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(act)
  })
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** A page in the background paints nothing. */
const AT_MOST_MS = 200

/** Resolves once the next frame is painted; soon, where there is none. */
export function painted(): Promise<void> {
  if (typeof requestAnimationFrame === 'undefined' || document.hidden) return Promise.resolve()
  return new Promise((resolve) => {
    whenPainted(resolve)
    setTimeout(resolve, AT_MOST_MS)
  })
}
