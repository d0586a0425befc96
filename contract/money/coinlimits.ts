export const COIN_LIMITS = {
  /** Unpaid requests, and the days until their deletion. */
  coinPaymentsOpen: 5,
  coinPaymentDays: 30,
} as const
