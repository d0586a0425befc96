/** What administrators see. Apart from `LIMITS`, all of which every page loads. */
export const ADMIN_LIMITS = {
  /** Days that the analytics show, and people below whom a figure is not exact. */
  analyticsDays: 30,
  fewPeople: 10,
  /** Months that the revenue shows. */
  revenueMonths: 12,
  /** Differences that the last check of money shows. */
  checkLines: 50,
  /** Errors of the card provider that a process remembers. */
  cardErrors: 10,
} as const
