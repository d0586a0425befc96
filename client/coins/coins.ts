import { COINS, type CoinPayment, coinsApi } from '../../contract/coins.ts'
import type { Env } from '../env.ts'
import { paymentsStore } from './store.ts'

/** Reads what the chain shows of a payment. */
export async function checkPayment(env: Env, paymentId: string): Promise<CoinPayment> {
  const payment = await env.api(coinsApi.checkPayment, { paymentId })
  keep(payment)
  return payment
}

/** Names the transaction of a payment, for the server to look for. */
export async function submitTransaction(env: Env, { id, paymentAddress }: CoinPayment, typed: string): Promise<CoinPayment> {
  const transactionHash = typed.trim()
  const payment = await env.api(coinsApi.submitTransaction, { paymentId: id, transactionHash, paymentAddress })
  keep(payment)
  return payment
}

export async function loadPayments(env: Env): Promise<void> {
  paymentsStore.setState({ payments: await env.api(coinsApi.payments, {}) })
}

function keep(payment: CoinPayment): void {
  paymentsStore.setState(({ payments }) => {
    const isKnown = payments.some(({ id }) => id === payment.id)
    return { payments: isKnown ? payments.map((each) => (each.id === payment.id ? payment : each)) : [payment, ...payments] }
  })
}

/** True while money is expected. */
export const isOpen = ({ status }: CoinPayment): boolean => status === 'pending' || status === 'confirming'

/** True if something has come, and not enough. */
export const isShort = ({ status, receivedAmount }: CoinPayment): boolean => status === 'pending' && Number(receivedAmount) > 0

/** What a payment waits for, or what became of it. */
export function statusWords(payment: CoinPayment): string {
  const { status, currency, blockConfirmations, amount, receivedAmount } = payment
  const { confirmations, symbol } = COINS[currency]
  if (isShort(payment)) return `${receivedAmount} of ${amount} ${symbol} has come. Send the rest to the same address`
  return {
    pending: 'Waiting for the payment',
    confirming: `${Math.min(blockConfirmations, confirmations)} of ${confirmations} confirmations`,
    confirmed: 'Paid',
    expired: 'Expired: nothing has come in time',
    needs_review: 'Money has come that a person looks at. It is not lost',
    refunded: 'Sent back',
  }[status]
}
