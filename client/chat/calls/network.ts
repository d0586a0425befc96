/** Absent in Firefox and Safari. `type` is absent on computers. */
type Line = EventTarget & { readonly type?: string }

/** Tells that the network may be another one. Returns how to stop. */
export function followNetwork(tell: () => void): () => void {
  const line = (navigator as Navigator & { readonly connection?: Line }).connection
  let type = line?.type
  // It also changes with the measured speed.
  const onChange = () => {
    if (line?.type === type) return
    type = line?.type
    tell()
  }
  globalThis.addEventListener?.('online', tell)
  line?.addEventListener('change', onChange)
  return () => {
    globalThis.removeEventListener?.('online', tell)
    line?.removeEventListener('change', onChange)
  }
}
