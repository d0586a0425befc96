import type { Env } from '../../env.ts'
import { onEnds } from '../../rooms/list/lifetimes.ts'

/** Loads what keeps lifetimes once a message has one. Returns how to stop. */
export function followLifetimes(env: Env, attempt: (work: Promise<unknown>) => void): () => void {
  const over = new AbortController()
  onEnds(() => {
    // Without it a page of the vault still ends what is due before it shows anything.
    import('./keepLifetimes.ts').then(
      ({ keepLifetimes }) => keepLifetimes(env, attempt, over.signal),
      () => undefined,
    )
  })
  return () => over.abort()
}
