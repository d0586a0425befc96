import { COIN_POLLS, type Currency } from '../../../contract/money/coins.ts'
import { type Chain, NodeError, type Seen } from './chain.ts'
import type { Payment } from './store.ts'

export function asWritten(currency: Currency, hash: string): string {
  const digits = hash.toLowerCase().replace(/^0x/, '')
  return currency === 'bitcoin' ? digits : `0x${digits}`
}

export const isLookedFor = ({ namedTransaction, namedAt }: Payment, now: Date): boolean =>
  namedTransaction !== null && namedAt !== null && now.getTime() - namedAt.getTime() < COIN_POLLS.submittedForMs

/** Returns undefined, and the search goes on, if the node does not know or answer. */
export async function paysAddress(chain: Chain, address: string, transaction: string): Promise<boolean | undefined> {
  try {
    return await chain.pays(transaction, address)
  } catch (error) {
    // Only what was looked up is refused.
    if (error instanceof NodeError) return undefined
    throw error
  }
}

/** Returns none if the transaction has come, pays another address, or was looked for long enough. */
export async function nameAfter(
  chain: Chain,
  payment: Payment,
  { arrivals }: Seen,
  now: Date,
): Promise<Partial<Pick<Payment, 'namedTransaction' | 'namedAt'>>> {
  const { namedTransaction: named, paymentAddress } = payment
  if (named === null) return {}
  const isOver = !isLookedFor(payment, now) || arrivals.some(({ reference }) => reference === named)
  const isFalse = !isOver && (await paysAddress(chain, paymentAddress, named)) === false
  return isOver || isFalse ? { namedTransaction: null, namedAt: null } : {}
}
