export const COIN_LIMITS = {
  /** Unpaid requests, and the days that they are listed. */
  coinPaymentsOpen: 5,
  coinPaymentDays: 30,
} as const
