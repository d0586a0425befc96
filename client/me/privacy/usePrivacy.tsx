import { useStore } from 'zustand'
import type { Privacy } from '../../../contract/people/privacy.ts'
import { accountStore } from '../account/accountState.ts'
import { privacyOf } from './privacy.ts'

/** What the open account shows to its contacts, and so may see of them. */
export const usePrivacy = (): Privacy => useStore(accountStore, privacyOf)
