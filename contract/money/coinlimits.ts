/** Payments in coins. */
export const COIN_LIMITS = {
  /** Payment requests of a user in coins that wait for money. Those that nobody paid are deleted after so many days. */
  coinPaymentsOpen: 5,
  coinPaymentDays: 30,
} as const
