const composers = new Set<() => Promise<void>>()

/** Registers what keeps the text that stands in a composer. Returns how to take it back. */
export function onKeepDrafts(keep: () => Promise<void>): () => void {
  composers.add(keep)
  return () => composers.delete(keep)
}

/** Keeps what stands in every composer of this page, before the page closes the vault. */
export async function keepDrafts(): Promise<void> {
  await Promise.allSettled([...composers].map((keep) => keep()))
}

let onTheirWay = 0

/** Counts what was given to the worker to be stored, until it is. */
export async function untilKept<T>(kept: Promise<T>): Promise<T> {
  onTheirWay += 1
  try {
    return await kept
  } finally {
    onTheirWay -= 1
  }
}

const HOLD_MS = 100

/**
 * Holds a page that is closing while words are on their way to the disk. Its worker ends with it, and goes on beside it as long as the page
 * stands still. No message of the worker is read meanwhile, so the time is fixed.
 */
export function holdPage(): void {
  if (onTheirWay === 0) return
  const end = performance.now() + HOLD_MS
  while (performance.now() < end);
}
