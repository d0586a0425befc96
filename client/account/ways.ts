import { createStore } from 'zustand/vanilla'
import type { Env } from '../env.ts'
import { failureWords } from '../ui/failure.ts'
import { type Ways, waysOf } from './keys.ts'
import { accountStore } from './store.ts'

interface WaysState {
  /** The account of these ways in. */
  userId: string | null
  ways: Ways | null
  failure: string | null
}

/** Cache of the account's ways in. */
export const waysStore = createStore<WaysState>(() => ({ userId: null, ways: null, failure: null }))

/** Fetches the ways in again. The cached ones stay if the server cannot be reached. */
export async function loadWays(env: Env): Promise<void> {
  const userId = accountStore.getState().user?.id ?? null
  if (waysStore.getState().userId !== userId) waysStore.setState({ userId, ways: null, failure: null })
  const found = await waysOf(env).then(
    (ways) => ({ ways, failure: null }),
    (error: unknown) => ({ failure: failureWords(error) }),
  )
  if (waysStore.getState().userId === userId) waysStore.setState(found)
}
