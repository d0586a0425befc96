/** Time after which a page without a socket begins all the same. */
const CONNECTED_WITHIN_MS = 3000

/** The first hello. The page's first check of its keys waits for it: what changes from then on is heard. */
export function firstHello() {
  let isAwaited = true
  let begin: () => void = () => undefined
  const come = new Promise<void>((resolve) => {
    begin = resolve
  })
  const stop = () => {
    isAwaited = false
    clearTimeout(timer)
  }
  const comes = () => {
    stop()
    begin()
  }
  const timer = setTimeout(comes, CONNECTED_WITHIN_MS)
  return { come, comes, stop, isAwaited: () => isAwaited }
}
