import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../ui/env.tsx'
import { failureWordsOr } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { readPlans, readUsage } from './plans.ts'
import { type PlansState, plansStore } from './store.ts'

const USAGE_MS = 60_000

/** What the server says of plan and usage, read when the screen opens and when `what` changes; the usage every minute. */
export function usePlans(what: unknown): PlansState {
  const env = useEnv()
  const state = useStore(plansStore)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another plan is read anew
  useEffect(() => {
    void readPlans(env)
    const timer = setInterval(() => document.visibilityState === 'visible' && void readUsage(env), USAGE_MS)
    return () => clearInterval(timer)
  }, [env, what])
  return state
}

/** Runs one act at a time and tells of its failure under that title. `pending` names the act that runs. */
export function useAct(title: string): { pending: string | undefined; act: (name: string, work: () => Promise<void>) => void } {
  const [pending, setPending] = useState<string>()
  async function run(name: string, work: () => Promise<void>) {
    setPending(name)
    try {
      await work()
      setPending(undefined)
    } catch (error) {
      setPending(undefined)
      showToast({ tone: 'bad', title, text: failureWordsOr(error, 'Something went wrong. Please try again.') })
    }
  }
  return { pending, act: (name, work) => void (pending === undefined && run(name, work)) }
}
