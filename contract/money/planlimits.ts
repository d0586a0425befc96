/** Apart from `LIMITS`, which every page loads. */
export const PLAN_LIMITS = {
  packagesMax: 100,
  /** US cents. The card provider takes no less and no more; 0 is no price. */
  priceMinCents: 50,
  priceMaxCents: 99_999_999,
  /** Shown to strangers. */
  offersMax: 12,
  webhookBytes: 1024 * 1024,
  /** Counted from the purchase. */
  refundDays: 30,
  /** A plan goes on after an unpaid renewal. */
  graceDays: 7,
  /** The provider repeats events for three days. */
  cardEventDays: 30,
  /** Beyond this the card of usage says so. Nothing is dropped. */
  freeMessages: 100,
  freeStorageMB: 50,
  freeVideoMinutes: 30,
} as const
