import { PARTS, type PartId, type Place } from './settingsWords.ts'

/** The three tabs, each with its other pages behind it. */
export const GROUPS: readonly (readonly [tab: Place, ...others: Place[]])[] = [
  ['profile', 'notifications', 'storage', 'about'],
  ['plan'],
  ['security', 'privacy', 'devices'],
]

/** The tab of that page. */
export const tabOf = (place: Place): Place => GROUPS.find((group) => group.includes(place))?.[0] ?? place

/** The page to open: what another screen has asked for comes before the address. Undefined where neither names one. */
export const askedPlace = (asked: string | null, inAddress: string | null): Place | undefined =>
  placeOf(asked) ?? placeOf(inAddress)

/** The address of a page, or of a part of it. */
export const addressOf = (place: Place, part?: PartId): string => `/settings?tab=${place}${part ? `#${part}` : ''}`

/** The part that an address names behind its `#`. */
export function partIn(hash: string): PartId | undefined {
  const id = hash.slice(1)
  return Object.hasOwn(PARTS, id) ? (id as PartId) : undefined
}

// Other screens call the plan by its name in the specification.
const placeOf = (value: string | null): Place | undefined =>
  value === 'subscription' ? 'plan' : GROUPS.flat().find((place) => place === value)
