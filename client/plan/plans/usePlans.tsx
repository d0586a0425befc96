import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { useAct as useActNow } from '../../ui/useAct.tsx'
import { forgetPaid } from './askedIn.ts'
import { readPlans, readUsage, settlePlan } from './plans.ts'
import { type PlansState, plansStore } from './store.ts'

const USAGE_MS = 60_000

/** What the server says of plan and usage, read when the screen opens and when `what` changes; the usage every minute. */
export function usePlans(what: unknown): PlansState {
  const env = useEnv()
  const state = useStore(plansStore)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another plan is read anew
  useEffect(() => {
    const read = () => void readPlans(env)
    read()
    // Another tab or the provider has changed something, or the connection is back.
    const offs = [env.socket.on('account', read), env.socket.on('hello', read)]
    const timer = setInterval(() => document.visibilityState === 'visible' && void readUsage(env), USAGE_MS)
    return () => {
      clearInterval(timer)
      for (const off of offs) off()
    }
  }, [env, what])
  return state
}

/** After each other. */
const SETTLE_MS = [1500, 13_500, 45_000]
let settles = 0

/** Asks the provider itself, in case its event was lost. Usually the event arrives first. */
export function useSettle(isAwaited: boolean): void {
  const env = useEnv()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      const waitMs = SETTLE_MS[settles]
      if (waitMs !== undefined) timer = setTimeout(settle, waitMs)
    }
    const settle = () => {
      settles += 1
      void settlePlan(env)
      wait()
    }
    if (isAwaited) wait()
    else settles = 0
    return () => clearTimeout(timer)
  }, [env, isAwaited])
}

/** Forgets a payment once what was paid is paid back or over. */
export function useForgetPaid(hasPlan: boolean): void {
  const had = useRef(hasPlan)
  useEffect(() => {
    if (had.current && !hasPlan) forgetPaid()
    had.current = hasPlan
  }, [hasPlan])
}

/**
 * Runs one act at a time and tells of its failure under that title, with `words` for one that has none of its own. `pending` names the
 * act that runs.
 */
export function useAct(
  title: string,
  words = 'Something went wrong. Please try again.',
): { pending: string | undefined; act: (name: string, work: () => Promise<void>) => void } {
  const [pending, setPending] = useState<string>()
  const { act } = useActNow()
  async function run(name: string, work: () => Promise<void>) {
    setPending(name)
    await act({ run: work, failed: title, words })
    setPending(undefined)
  }
  return { pending, act: (name, work) => void (pending === undefined && run(name, work)) }
}
