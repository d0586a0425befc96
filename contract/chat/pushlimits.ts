/** Push of news to closed browsers. */
export const PUSH_LIMITS = {
  /** Browsers of a user that a push service wakes, and characters of the address of each. */
  pushSubscriptionsMax: 20,
  pushEndpointMax: 2000,
} as const
