import { createStore } from 'zustand/vanilla'
import type { Passkey } from '../../../contract/account/passkeys.ts'
import type { Env } from '../../env.ts'
import { failureWords } from '../../ui/failure.ts'
import { shared } from '../../ui/shared.ts'
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

let isReadAgain = false

/** Reads them for who is to see them, unless they are known or are being read. */
export function needWays(env: Env, ownId: string | null): void {
  const { userId, failure } = waysStore.getState()
  if (userId !== ownId) void loadWays(env)
  else if (failure && !isReadAgain) {
    isReadAgain = true
    void loadWays(env).finally(() => {
      isReadAgain = false
    })
  }
}

/** Reads them whenever the server tells of a change, once for all who follow. */
export const followWays = shared((env: Env) => env.socket.on('devices', () => void loadWays(env)))

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
