import { type CoinPayment, type Currency, coinPlanShape } from '../../../contract/money/coins.ts'
import { amountOf, dollarsOf } from './amounts.ts'
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

function missing({ amount, received }: Payment): bigint {
  const left = BigInt(amount) - BigInt(received)
  return left > 0n ? left : BigInt(amount)
}
