import { accountStore } from '../../me/account/accountState.ts'

/** Accounts of one browser may send to each other. */
export const ownName = (): string => accountStore.getState().user?.id ?? ''

/** A key of localStorage. */
export const memoryKey = (): string => `transfers/${ownName()}`
