import { createStore } from 'zustand/vanilla'
import type { CoinPayment } from '../../../contract/money/coins.ts'

/** The newest payment requests of the account, the newest first; as the server answered them last. */
export const paymentsStore = createStore<{ payments: CoinPayment[] }>(() => ({ payments: [] }))
