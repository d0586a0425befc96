const composers = new Set<() => Promise<void>>()

export function onKeepDrafts(keep: () => Promise<void>): () => void {
  composers.add(keep)
  return () => composers.delete(keep)
}

/** Stores every composer's text before the page closes the vault. */
export async function keepDrafts(): Promise<void> {
  await Promise.allSettled([...composers].map((keep) => keep()))
}

let onTheirWay = 0

export async function untilKept<T>(kept: Promise<T>): Promise<T> {
  onTheirWay += 1
  try {
    return await kept
  } finally {
    onTheirWay -= 1
  }
}

const HOLD_MS = 300

/**
 * Blocks a closing page while the worker, which ends with the page, stores text. A blocked page reads no message, so the time is
 * fixed.
 */
export function holdPage(): void {
  if (onTheirWay === 0) return
  const end = performance.now() + HOLD_MS
  while (performance.now() < end);
}
