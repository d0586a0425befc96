import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { type AdminUser, adminApi } from '../../contract/admin/admin.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { tierShape } from '../../contract/money/plans.ts'
import { Counters } from '../ui/Counters.tsx'
import { useEnv } from '../ui/env.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { useLatest } from '../ui/useLatest.tsx'
import { countWords, tierWords } from './adminWords.ts'
import { type Filter, filterOf, paramsOf } from './filter.ts'
import { Pager } from './Pager.tsx'
import { Select } from './Select.tsx'
import { UserRows } from './UserRows.tsx'
import { useLoaded } from './useLoaded.tsx'

const TYPED_MS = 250
const STATES = { active: 'Active', inactive: 'Inactive', admin: 'Administrators' } as const
const SORTS = { joined: 'Newest first', name: 'By name', seen: 'Last seen first' } as const

/** The accounts: searched, filtered and sorted by the server, 20 a page. The address has all of it. */
export function UsersTab() {
  const env = useEnv()
  const [params, setParams] = useSearchParams()
  const filter = filterOf(params)
  const [typed, setTyped] = useState(filter.search)
  const change = (more: Partial<Filter>) =>
    setParams((before) => paramsOf(before, { ...filterOf(before), page: 1, ...more }), { replace: true })
  const latestChange = useLatest(change)
  // As the address has it: half a letter, where a paste was cut off, stands there as another sign.
  const { search: wanted } = filterOf(new URLSearchParams({ search: typed }))
  useEffect(() => {
    if (wanted === filter.search) return
    const timer = setTimeout(() => latestChange.current({ search: wanted }), TYPED_MS)
    return () => clearTimeout(timer)
  }, [wanted, filter.search, latestChange])
  const { tier, state, ...rest } = filter
  const { value, failure, isLoading, reload } = useLoaded(JSON.stringify(filter), () =>
    env.api(adminApi.users, { ...rest, ...(tier && { tier }), ...(state && { state }) }),
  )
  // A newer answer of the server holds what was changed.
  const [changed, setChanged] = useState({ since: value, users: new Map<string, AdminUser>() })
  const changes = changed.since === value ? changed.users : undefined
  const latest = useLatest(value)
  const users = (value?.users ?? []).map((user) => changes?.get(user.id) ?? user)

  /** Shows what an act has changed at once, and asks for the list: an answer that is under way may be older than the act. */
  function take(user: AdminUser) {
    const since = latest.current
    setChanged((before) => ({ since, users: new Map(before.since === since ? before.users : []).set(user.id, user) }))
    reload()
  }

  return (
    <>
      <Counters
        counters={[
          { name: 'Total Users', value: value ? countWords(value.total) : '…' },
          { name: 'Active Users', value: countWords(users.filter(({ isActive }) => isActive).length), note: 'on this page' },
          { name: 'Administrators', value: countWords(users.filter(({ isAdmin }) => isAdmin).length), note: 'on this page' },
        ]}
      />
      <div className="bar">
        <div className="input">
          <Search className="i i-16" aria-hidden />
          <input
            type="search"
            dir="auto"
            aria-label="Search users"
            placeholder="Search users..."
            maxLength={LIMITS.displayNameMax}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <div className="filters">
          <Select
            label="Tier"
            value={tier}
            options={[['', 'All tiers'], ...tierShape.options.map((one) => [one, tierWords(one)] as const)]}
            onChange={(next) => change({ tier: next })}
          />
          <Select
            label="State"
            value={state}
            options={[['', 'All states'], ...entriesOf(STATES)]}
            onChange={(next) => change({ state: next })}
          />
          <Select label="Order" value={filter.sort} options={entriesOf(SORTS)} onChange={(next) => change({ sort: next })} />
        </div>
      </div>
      {value === undefined && <NotRead words="The users could not be loaded." failure={failure ?? null} onRetry={reload} />}
      {value && failure && <NotRead words="The users may be out of date." failure={failure} onRetry={reload} />}
      {value?.users.length === 0 && <p className="none">No users found</p>}
      {users.length > 0 && <UserRows users={users} isLoading={isLoading} onChanged={take} />}
      {value && <Pager page={filter.page} size={LIMITS.adminPage} total={value.total} onPage={(page) => change({ page })} />}
    </>
  )
}

const entriesOf = <Key extends string>(record: Record<Key, string>): [Key, string][] => Object.entries(record) as [Key, string][]
