import type { Env } from '../../env.ts'
import { onEnds } from '../../rooms/list/lifetimes.ts'

type Attempt = (work: Promise<unknown>) => void

/** Loads what keeps lifetimes once a message has one. Returns how to stop. */
export function followLifetimes(env: Env, attempt: Attempt): () => void {
  let stop: (() => void) | undefined
  let isLoading = false
  let isOver = false

  async function load() {
    isLoading = true
    try {
      const { keepLifetimes } = await import('./keepLifetimes.ts')
      if (!isOver) stop = keepLifetimes(env, attempt)
    } finally {
      isLoading = false
    }
  }

  const off = onEnds(() => {
    // Without it a page of the vault still ends what is due before it shows anything.
    if (!isLoading) load().catch(() => undefined)
  })
  return () => {
    isOver = true
    off()
    stop?.()
  }
}
