import { COIN_POLLS, type Currency } from '../../../contract/money/coins.ts'
import { type Chain, NodeError, type Seen } from './chain.ts'
import type { Payment } from './store.ts'

/** A transaction as its chain writes it. */
export function asWritten(currency: Currency, hash: string): string {
  const digits = hash.toLowerCase().replace(/^0x/, '')
  return currency === 'bitcoin' ? digits : `0x${digits}`
}

/** True while a transaction that the payer has named is looked for. */
export const isLookedFor = ({ namedTransaction, namedAt }: Payment, now: Date): boolean =>
  namedTransaction !== null && namedAt !== null && now.getTime() - namedAt.getTime() < COIN_POLLS.submittedForMs

/**
 * Says what the chain knows of a transaction: whether it pays that address. undefined if the node does not know it yet, or does not
 * answer: then it is looked for.
 */
export async function paysAddress(chain: Chain, address: string, transaction: string): Promise<boolean | undefined> {
  try {
    return await chain.pays(transaction, address)
  } catch (error) {
    // Nothing is refused for what nobody could look up.
    if (error instanceof NodeError) return undefined
    throw error
  }
}

/** The name that a look leaves: none once the transaction has come, pays another address, or was looked for long enough. */
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
