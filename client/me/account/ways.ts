import { createStore } from 'zustand/vanilla'
import type { Passkey } from '../../../contract/account/passkeys.ts'
import type { Env } from '../../env.ts'
import { failureWords } from '../../ui/failure.ts'
import { loadPart } from '../../worker/crypto.ts'
import { accountStore } from './accountState.ts'
import { type Ways, waysOf } from './keys.ts'

interface WaysState {
  userId: string | null
  ways: Ways | null
  factors: Passkey[] | null
  failure: string | null
}

export const waysStore = createStore<WaysState>(() => ({ userId: null, ways: null, factors: null, failure: null }))

/** Keeps the cached ones without a server. */
export async function loadWays(env: Env): Promise<void> {
  const userId = accountStore.getState().user?.id ?? null
  if (waysStore.getState().userId !== userId) waysStore.setState({ userId, ways: null, factors: null, failure: null })
  const loaded = loadPart(() => import('./passkeyFactors.ts'))
  const found = await Promise.all([waysOf(env), loaded.then(({ factorsOf }) => factorsOf(env))]).then(
    ([ways, factors]) => ({ ways, factors, failure: null }),
    (error: unknown) => ({ failure: failureWords(error) }),
  )
  if (waysStore.getState().userId === userId) waysStore.setState(found)
}
