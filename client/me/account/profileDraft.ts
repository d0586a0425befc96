import { createStore } from 'zustand/vanilla'
import { accountStore } from './accountState.ts'
import type { TypedProfile } from './profile.ts'

interface DraftState {
  draft: Partial<TypedProfile>
}

/** What was typed into the profile and not saved. It outlives the page of the settings, and ends with the account's session. */
export const profileDraftStore = createStore<DraftState>(() => ({ draft: {} }))

accountStore.subscribe(({ user }, before) => {
  if (user?.id !== before.user?.id) profileDraftStore.setState({ draft: {} })
})
