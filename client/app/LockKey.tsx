import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useEnv } from '../ui/env.tsx'
import { watchLockKey } from './lockPage.ts'

/** The key that locks this browser, while it is rendered. */
export function LockKey({ userId }: { userId: string }) {
  const env = useEnv()
  const [, navigate] = useLocation()
  useEffect(() => watchLockKey(env, userId, navigate), [env, userId, navigate])
  return null
}
