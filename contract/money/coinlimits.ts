export const COIN_LIMITS = {
  /** Unpaid requests, and the days that they are listed. */
  coinPaymentsOpen: 3,
  coinPaymentDays: 30,
  /** Wallets stop looking after so many unused addresses in a row. */
  gap: 20,
} as const
