/** Plans and payments by card. Apart from `LIMITS`, all of which every page loads. */
export const PLAN_LIMITS = {
  /** Packages that are not archived. */
  packagesMax: 100,
  /** Days in which a card subscription can be paid back, counted from its first payment. */
  refundDays: 30,
  /** Days for which a plan goes on after a renewal could not be paid. */
  graceDays: 7,
  /** Days for which the ids of the card provider's events are kept, to know a repeated one. The provider repeats for three. */
  cardEventDays: 30,
  /** What a free account receives in a month before its card of usage says so. Nothing is dropped. */
  freeMessages: 100,
  freeStorageMB: 50,
  freeVideoMinutes: 30,
} as const
