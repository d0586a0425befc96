import { createStore } from 'zustand/vanilla'
import type { User } from '../../../contract/account/account.ts'

export interface AccountState {
  /** `locked`: no account data is shown [Note: V3]. `away`: no answer about the session. `door`: only who comes by Tor is answered. */
  phase: 'starting' | 'signed_out' | 'signed_in' | 'locked' | 'away' | 'door'
  user: User | null
  /** The reason for a new sign-in. */
  notice: string | null
  /** The worker holds the password for the kit. */
  isNew: boolean
}

export const accountStore = createStore<AccountState>(() => ({ phase: 'starting', user: null, notice: null, isNew: false }))
