/** Reports of contacts. Apart from `LIMITS`, all of which every page loads. */
export const REPORT_LIMITS = {
  /** Characters of a report's own text, messages that it may show, and characters of each. */
  reportTextMax: 2000,
  reportedMessagesMax: 20,
  reportedTextMax: 4000,
  /** Reports of a user that are kept; beyond this number the oldest goes. Each is kept for so many days at most. */
  reportsPerUser: 100,
  reportDays: 365,
  /** Rows of a page of reports. */
  reportsPage: 20,
} as const
