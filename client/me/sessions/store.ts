import { createStore } from 'zustand/vanilla'
import type { Session, SignIn } from '../../../contract/account/sessions.ts'

/** Sign-ins to the account that the person has not answered in this browser, newest first. */
export const signInsStore = createStore<{ signIns: SignIn[] }>(() => ({ signIns: [] }))

export interface SessionsState {
  status: 'loading' | 'ready'
  /** Reason why the list could not be loaded, or is out of date. */
  failure: string | null
  /** The account's sessions, this one first. */
  sessions: Session[]
}

export const sessionsStore = createStore<SessionsState>(() => ({ status: 'loading', failure: null, sessions: [] }))
