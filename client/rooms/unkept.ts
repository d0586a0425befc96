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
