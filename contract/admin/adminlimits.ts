/** What administrators see. Apart from `LIMITS`, all of which every page loads. */
export const ADMIN_LIMITS = {
  /** Days that the analytics show, and people below whom a figure is not exact. */
  analyticsDays: 30,
  fewPeople: 10,
  /** Months that the revenue shows. */
  revenueMonths: 12,
} as const
