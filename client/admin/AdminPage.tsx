import { ChevronLeft, ShieldOff } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react'
import { useSearchParams } from 'wouter'
import type { User } from '../../contract/account/account.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Boundary } from '../ui/Boundary.tsx'
import { Empty } from '../ui/Empty.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { UsersTab } from './UsersTab.tsx'
import './admin.css'

const AuditTab = lazy(async () => ({ default: (await import('./AuditTab.tsx')).AuditTab }))
const ReportsTab = lazy(async () => ({ default: (await import('./ReportsTab.tsx')).ReportsTab }))
const PackagesTab = lazy(async () => ({ default: (await import('./PackagesTab.tsx')).PackagesTab }))
const RevenueTab = lazy(async () => ({ default: (await import('./RevenueTab.tsx')).RevenueTab }))
const SubscriptionsTab = lazy(async () => ({ default: (await import('./SubscriptionsTab.tsx')).SubscriptionsTab }))
const AnalyticsTab = lazy(async () => ({ default: (await import('./AnalyticsTab.tsx')).AnalyticsTab }))
const PaymentsTab = lazy(async () => ({ default: (await import('./PaymentsTab.tsx')).PaymentsTab }))
const ReceiptsTab = lazy(async () => ({ default: (await import('./ReceiptsTab.tsx')).ReceiptsTab }))
const SystemTab = lazy(async () => ({ default: (await import('./SystemTab.tsx')).SystemTab }))

const TABS: [string, string, ComponentType][] = [
  ['users', 'Users', UsersTab],
  ['packages', 'Packages', PackagesTab],
  ['subscriptions', 'Subscriptions', SubscriptionsTab],
  ['revenue', 'Revenue', RevenueTab],
  ['analytics', 'Analytics', AnalyticsTab],
  ['payments', 'Payments', PaymentsTab],
  ['receipts', 'Receipts', ReceiptsTab],
  ['reports', 'Reports', ReportsTab],
  ['audit', 'Audit trail', AuditTab],
  ['system', 'System', SystemTab],
]

interface Props {
  user: User
  onBack: () => void
}

/** The dashboard of administrators. Where the right ends while it is open, it says so and shows nothing more. */
export function AdminPage({ user, onBack }: Props) {
  const title = useRef<HTMLHeadingElement>(null)
  const [search, setSearch] = useSearchParams()
  const asked = search.get('tab')
  const tab = TABS.find(([value]) => value === asked)?.[0] ?? 'users'
  const tabs = useRef<HTMLDivElement>(null)
  useEffect(() => title.current?.focus(), [])
  // On a phone the line of tabs is wider than the screen.
  useEffect(() => {
    tabs.current?.querySelector(`[data-tab=${tab}]`)?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [tab])
  if (!user.isAdmin)
    return (
      <main className="centre">
        <Empty icon={ShieldOff} isTitle title="Access Denied" text="You need administrator privileges to access this page.">
          <button type="button" className="btn outline" onClick={onBack}>
            Go Back
          </button>
        </Empty>
      </main>
    )
  return (
    <div className="admin">
      <main className="admin-page">
        <header>
          <IconButton icon={ChevronLeft} label="Back to chat" onClick={onBack} />
          <div>
            <h1 ref={title} tabIndex={-1}>
              Admin Dashboard
            </h1>
            <p className="small t2 sub">Accounts, packages and income. Never messages.</p>
          </div>
          <div className="me">
            <p>
              <b>@{user.username.toLowerCase()}</b>
              <br />
              <span className="small t2">Administrator</span>
            </p>
            <Avatar id={user.id} name={user.displayName} photo={user.profileImageUrl} size={36} />
          </div>
        </header>
        <Tabs.Root value={tab} onValueChange={(next) => setSearch({ tab: next }, { replace: true })}>
          <Tabs.List ref={tabs} className="admin-tabs" aria-label="Admin dashboard">
            {TABS.map(([value, label]) => (
              <Tabs.Trigger key={value} value={value} data-tab={value}>
                {label}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          {TABS.map(([value, , Tab]) => (
            <Tabs.Content key={value} value={value} tabIndex={-1}>
              <Boundary>
                <Suspense fallback={<Spinner words="Loading" />}>
                  <Tab />
                </Suspense>
              </Boundary>
            </Tabs.Content>
          ))}
        </Tabs.Root>
      </main>
    </div>
  )
}
