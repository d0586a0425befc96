const HOUR = 60 * 60
const DAY = 24 * HOUR

/** In seconds; 0 is off. */
export const TIMERS = [0, HOUR, 8 * HOUR, DAY, 7 * DAY, 28 * DAY]
