import { createStore } from 'zustand/vanilla'
import type { User } from '../../contract/account.ts'

/** Who is signed in on this page. */
export interface AccountState {
  /** `locked`: signed in, and the person has to open the lock of this browser before anything of the account shows [Note: V3]. */
  phase: 'starting' | 'signed_out' | 'signed_in' | 'locked'
  user: User | null
  /** Signed in by cookie, but the vault of this browser is not open: the person signs in again, with the reason shown. */
  notice: string | null
  /** The account was just made here: its recovery kit comes next, for which the worker still holds the password. */
  isNew: boolean
}

export const accountStore = createStore<AccountState>(() => ({ phase: 'starting', user: null, notice: null, isNew: false }))
