import type { Env } from '../../env.ts'
import { storedPrefs } from '../notifications/newsPrefs.ts'

/**
 * Renews this browser's subscription where there is one, and ends it with a sign-out. Its code is loaded then. Returns how to stop, which
 * asks whether this is a sign-out.
 */
export function followPush(env: Env, attempt: (work: Promise<unknown>) => void, isSignedOut: () => boolean): () => void {
  const renew = async () => {
    const { renewPush } = await import('./push.ts')
    await renewPush(env)
  }
  if (storedPrefs().isPushed) attempt(renew())
  return () => {
    // A lock ends the session of the page too, and leaves the subscription.
    if (isSignedOut()) attempt(drop())
  }
}

/** Only a hidden page counts on it. */
export const isToldByPush = (): boolean => document.visibilityState === 'hidden' && storedPrefs().isPushed

async function drop(): Promise<void> {
  const { dropPush } = await import('./push.ts')
  await dropPush()
}
