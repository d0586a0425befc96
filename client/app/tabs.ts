type Tab = 'profile' | 'subscription' | 'security'
/** The tabs of the settings, and the pages of their own that a tab leads to. */
type Place = Tab | 'notifications' | 'storage' | 'devices'

/** The value of `tab` in the address of each place. */
const IN_ADDRESS: Record<Place, string> = {
  profile: 'profile',
  subscription: 'plan',
  security: 'security',
  notifications: 'notifications',
  storage: 'storage',
  devices: 'devices',
}

/** The tab that a page of its own leads back to. */
export const TAB_OF = { notifications: 'profile', storage: 'profile', devices: 'security' } as const satisfies Partial<
  Record<Place, Tab>
>

/** True for a page of its own, which has no tab. */
export const isOwnPage = (place: Place): place is keyof typeof TAB_OF => place in TAB_OF

/** Key of session storage under which another screen leaves the place to open. */
export const ASKED = 'profileTab'

/** Another screen's wish comes before the address. */
export const openedAt = (asked: string | null, inAddress: string | null): Place =>
  placeOf(asked) ?? placeOf(inAddress) ?? 'profile'

/** The value of `tab` in the address of that place. */
export const tabInAddress = (place: Place): string => IN_ADDRESS[place]

/** The address of that place. */
export const addressOf = (place: Place): string => `/settings?tab=${IN_ADDRESS[place]}`

function placeOf(value: string | null): Place | undefined {
  const places = Object.keys(IN_ADDRESS) as Place[]
  return places.find((place) => place === value || IN_ADDRESS[place] === value)
}
