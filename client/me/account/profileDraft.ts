import { createStore } from 'zustand/vanilla'
import type { User } from '../../../contract/account/account.ts'
import { accountStore } from './accountState.ts'
import type { TypedProfile } from './profile.ts'

interface DraftState {
  draft: Partial<TypedProfile>
}

/** What was typed into the profile and not saved. It outlives the page of the settings, and ends with the account's session. */
export const profileDraftStore = createStore<DraftState>(() => ({ draft: {} }))

/** What stands in the fields, and what of it is not saved. */
export function typedProfile({ displayName, email }: Pick<User, 'displayName' | 'email'>, draft: Partial<TypedProfile>) {
  const typed = { displayName, email: email ?? '', ...draft }
  return { typed, isNameChanged: typed.displayName !== displayName, isEmailChanged: typed.email !== (email ?? '') }
}

accountStore.subscribe(({ user }, before) => {
  if (user?.id !== before.user?.id) profileDraftStore.setState({ draft: {} })
})
