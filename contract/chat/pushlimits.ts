export const PUSH_LIMITS = {
  pushSubscriptionsMax: 20,
  pushEndpointMax: 2000,
} as const
