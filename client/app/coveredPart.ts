/** The height of the page that the phone's keyboard leaves, where the browser does not shrink the page by itself (Safari). */
const SEEN = '--seen'

/** Keeps the chat above the keyboard of a phone. The list of messages follows its own size, and stays at its end. */
export function followKeyboard(): () => void {
  const seen = globalThis.visualViewport
  const { style } = document.documentElement
  function resize() {
    const isCovered = seen !== null && Math.abs(seen.scale - 1) < 0.01 && innerHeight - seen.height > 1
    if (isCovered) style.setProperty(SEEN, `${seen.height}px`)
    else style.removeProperty(SEEN)
    // Safari moves the page up to show a field, which is in sight by then.
    if (isCovered && document.activeElement?.closest('.compose')) scrollTo(0, 0)
  }
  resize()
  for (const type of ['resize', 'scroll']) seen?.addEventListener(type, resize)
  return () => {
    for (const type of ['resize', 'scroll']) seen?.removeEventListener(type, resize)
    style.removeProperty(SEEN)
  }
}
