import type { Env } from '../../env.ts'
import { watchMutes } from './watchMutes.ts'

/** Ends mutes in time, and tells of news outside the page. Its code is loaded after the session has begun. Returns how to stop. */
export function followNews(env: Env, attempt: (work: Promise<unknown>) => void): () => void {
  let isOver = false
  let stop: (() => void) | undefined
  const begin = async () => {
    const { watchNews } = await import('./watchNews.ts')
    if (!isOver) stop = watchNews(env, attempt)
  }
  const stopMutes = watchMutes(env)
  attempt(begin())
  return () => {
    isOver = true
    stopMutes()
    stop?.()
  }
}
