import { adminApi, type USER_SORTS } from '../../contract/admin/admin.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import type { Tier } from '../../contract/money/plans.ts'

/** Which accounts are listed, and in which order. An empty text is any. */
export interface Filter {
  search: string
  tier: '' | Tier
  state: '' | 'active' | 'inactive' | 'admin'
  sort: (typeof USER_SORTS)[number]
  /** From 1. */
  page: number
}

const { tier, state, sort, page } = adminApi.users.input.shape

/** Reads what the address says. What is missing or wrong there is as at first. */
export const filterOf = (params: URLSearchParams): Filter => ({
  search: (params.get('search') ?? '').trim().slice(0, LIMITS.displayNameMax),
  tier: tier.safeParse(params.get('tier')).data ?? '',
  state: state.safeParse(params.get('state')).data ?? '',
  sort: sort.safeParse(params.get('sort') ?? undefined).data ?? 'joined',
  page: page.safeParse(params.get('page') ?? undefined).data ?? 1,
})

const FIRST = filterOf(new URLSearchParams())

/** Writes it into the address, beside what else stands there, so that a reload shows the same. What is as at first is left out. */
export function paramsOf(before: URLSearchParams, filter: Filter): URLSearchParams {
  const params = new URLSearchParams(before)
  for (const name of Object.keys(FIRST) as (keyof Filter)[]) {
    if (filter[name] === FIRST[name]) params.delete(name)
    else params.set(name, String(filter[name]))
  }
  return params
}
