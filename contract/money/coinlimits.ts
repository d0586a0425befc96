export const COIN_LIMITS = {
  /** Unpaid requests, and the days until they leave the list of who asked. */
  coinPaymentsOpen: 5,
  coinPaymentDays: 30,
} as const
