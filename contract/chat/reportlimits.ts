/** Apart from `LIMITS`, which every page loads. */
export const REPORT_LIMITS = {
  reportTextMax: 2000,
  reportedMessagesMax: 20,
  reportedTextMax: 4000,
  /** The oldest report goes first. */
  reportsPerUser: 100,
  reportDays: 365,
  reportsPage: 20,
} as const
