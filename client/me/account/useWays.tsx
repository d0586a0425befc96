import { useEffect } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { accountStore } from './accountState.ts'
import { loadWays, waysStore } from './ways.ts'

export function useWays() {
  const env = useEnv()
  const userId = useStore(accountStore, ({ user }) => user?.id ?? null)
  const state = useStore(waysStore)
  useEffect(() => {
    const known = waysStore.getState()
    if (known.userId !== userId || known.failure) void loadWays(env)
    return env.socket.on('devices', () => void loadWays(env))
  }, [env, userId])
  const isMine = state.userId === userId
  return {
    ways: isMine ? state.ways : null,
    factors: isMine ? state.factors : null,
    failure: isMine ? state.failure : null,
    reload: () => loadWays(env),
  }
}
