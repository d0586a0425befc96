import type { CoinPayment, Currency } from '../../contract/coins.ts'
import { amountOf, dollarsOf } from './amounts.ts'
import type { Coins } from './open.ts'
import type { Payment } from './store.ts'

/** What its owner is shown of a payment. */
export function shownPayment(coins: Coins, payment: Payment): CoinPayment {
  const { id, packageId, billingPeriod, currency, status, paymentAddress, transactionHash, blockConfirmations } = payment
  const amount = (units: string) => amountOf(currency as Currency, BigInt(units))
  return {
    ...{ id, packageId, billingPeriod, currency, status, paymentAddress, transactionHash, blockConfirmations },
    amount: amount(payment.amount),
    receivedAmount: amount(payment.received),
    usdAmount: dollarsOf(payment.usdCents),
    // Of what is missing, for whoever has sent too little.
    paymentUri: coins.paymentUri(currency, paymentAddress, missing(payment)),
    expiresAt: payment.expiresAt.toISOString(),
    createdAt: payment.createdAt.toISOString(),
    confirmedAt: payment.confirmedAt?.toISOString() ?? null,
  }
}

function missing({ amount, received }: Payment): bigint {
  const left = BigInt(amount) - BigInt(received)
  return left > 0n ? left : BigInt(amount)
}
