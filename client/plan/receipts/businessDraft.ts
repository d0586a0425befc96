import { createStore } from 'zustand/vanilla'
import type { Party } from '../../../contract/money/receipts.ts'
import { accountStore } from '../../me/account/accountState.ts'

/** What was typed of the business and not saved. It outlives the page of the settings, and ends with the account's session. */
export const businessDraftStore = createStore<{ draft: Partial<Party> }>(() => ({ draft: {} }))

accountStore.subscribe(({ user }, before) => {
  if (user?.id !== before.user?.id) businessDraftStore.setState({ draft: {} })
})
