import { accountStore } from '../../me/account/accountState.ts'

/** Accounts of one browser may send to each other. */
export const ownName = (): string => accountStore.getState().user?.id ?? ''

/** Of localStorage: direct transfers of this account in this browser. */
export const memoryKey = (): string => `transfers/${ownName()}`
