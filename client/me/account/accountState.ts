import { createStore } from 'zustand/vanilla'
import type { User } from '../../../contract/account/account.ts'

/** The account of this page and the state of its session. */
export interface AccountState {
  /**
   * `locked` means signed in with a locked vault: the person opens this browser's lock before any account data is shown [Note:
   * V3]. `away`: this browser knows a user, and the server could not be asked whether the session goes on.
   */
  phase: 'starting' | 'signed_out' | 'signed_in' | 'locked' | 'away'
  user: User | null
  /** The notice on the sign-in screen, such as the reason why the person has to sign in again. */
  notice: string | null
  /** True for an account just created here, while the worker holds the password for its recovery kit. */
  isNew: boolean
}

export const accountStore = createStore<AccountState>(() => ({ phase: 'starting', user: null, notice: null, isNew: false }))
