import { createStore } from 'zustand/vanilla'
import type { Package, Subscription, Usage } from '../../../contract/money/payments.ts'

/** What the screens of plans show. Null until the server has answered. */
export interface PlansState {
  subscription: Subscription | null
  packages: Package[] | null
  usage: Usage | null
  /** Why the last read failed; null if it did not. */
  failure: string | null
}

export const plansStore = createStore<PlansState>(() => ({ subscription: null, packages: null, usage: null, failure: null }))
