import { type CoinPayment, type Currency, coinPlanShape } from '../../../contract/money/coins.ts'
import { amountOf, dollarsOf, enoughOf, sendable } from './amounts.ts'
import type { Coins } from './openCoins.ts'
import type { Payment } from './store.ts'

export function shownPayment(coins: Coins, payment: Payment): CoinPayment {
  const { id, billingPeriod, currency, status, paymentAddress, transactionHash, refundTransaction } = payment
  const amount = (units: string | bigint) => amountOf(currency as Currency, BigInt(units))
  const due = missing(payment)
  return {
    ...{ id, billingPeriod, currency, status, paymentAddress, transactionHash, refundTransaction },
    packageId: payment.packageId ?? coinPlanShape.parse(payment.tier),
    blockConfirmations: payment.blockConfirmations,
    amount: amount(payment.amount),
    receivedAmount: amount(payment.received),
    dueAmount: amount(due),
    usdAmount: dollarsOf(payment.usdCents),
    paymentUri: coins.paymentUri(currency, paymentAddress, due),
    expiresAt: payment.expiresAt.toISOString(),
    createdAt: payment.createdAt.toISOString(),
    confirmedAt: payment.confirmedAt?.toISOString() ?? null,
  }
}

function missing({ amount, received, usdCents, currency }: Payment): bigint {
  const [due, has] = [BigInt(amount), BigInt(received)]
  return has < enoughOf(due, usdCents) ? sendable(currency, due - has) : due
}
