import { useEffect } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { accountStore } from './accountState.ts'
import { followWays, loadWays, needWays, waysStore } from './ways.ts'

export function useWays() {
  const env = useEnv()
  const userId = useStore(accountStore, ({ user }) => user?.id ?? null)
  const state = useStore(waysStore)
  useEffect(() => {
    needWays(env, userId)
    return followWays(env)
  }, [env, userId])
  const isMine = state.userId === userId
  return {
    ways: isMine ? state.ways : null,
    factors: isMine ? state.factors : null,
    failure: isMine ? state.failure : null,
    reload: () => loadWays(env),
  }
}
