const DAY_SECONDS = 24 * 60 * 60

/** In seconds. */
export const LIFETIMES = { min: 60, max: 365 * DAY_SECONDS, unread: 30 * DAY_SECONDS } as const
