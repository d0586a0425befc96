import { ChevronLeft } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { User } from '../../contract/account.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { ProfileTab } from './ProfileTab.tsx'
import { PASSWORD, SecurityTab } from './SecurityTab.tsx'
import './lines.css'
import './settings.css'

const SessionsPage = lazy(async () => ({ default: (await import('../sessions/SessionsPage.tsx')).SessionsPage }))

/** `devices` is a page of its own: it has no trigger, and leads back to `security`. */
const TABS = ['profile', 'security', 'devices'] as const
type Tab = (typeof TABS)[number]

/** Key under which another screen stores the tab to open. */
const ASKED_TAB = 'profileTab'

interface Props {
  user: User
  onBack: () => void
}

/** The settings screen, which replaces the conversations. */
export function Settings({ user, onBack }: Props) {
  const title = useRef<HTMLHeadingElement>(null)
  const [search, setSearch] = useSearchParams()
  const [asked, setAsked] = useState(() => sessionStorage.getItem(ASKED_TAB))
  const tab = tabOf(asked) ?? tabOf(search.get('tab')) ?? 'profile'
  const [, navigate] = useLocation()
  const isSessions = tab === 'devices'
  useEffect(() => sessionStorage.removeItem(ASKED_TAB), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page of the settings begins at its title
  useEffect(() => title.current?.focus(), [isSessions])

  function open(next: string) {
    setAsked(null)
    setSearch({ tab: next }, { replace: true })
  }

  return (
    <div className="settings">
      <main className="page">
        <header>
          <IconButton
            icon={ChevronLeft}
            label={isSessions ? 'Back to Profile Settings' : 'Back to chat'}
            onClick={isSessions ? () => open('security') : onBack}
          />
          <h1 ref={title} tabIndex={-1}>
            {isSessions ? 'Sessions and devices' : 'Profile Settings'}
          </h1>
        </header>
        {isSessions ? (
          <Suspense fallback={<Spinner words="Loading" />}>
            <SessionsPage onChangePassword={() => navigate(`/settings?tab=security#${PASSWORD}`)} />
          </Suspense>
        ) : (
          <Tabs.Root value={tab} onValueChange={open}>
            <Tabs.List className="tabs" aria-label="Profile settings">
              <Tabs.Trigger value="profile">Profile</Tabs.Trigger>
              <Tabs.Trigger value="security">Security</Tabs.Trigger>
            </Tabs.List>
            <Tabs.Content value="profile" tabIndex={-1}>
              <ProfileTab user={user} />
            </Tabs.Content>
            <Tabs.Content value="security" tabIndex={-1}>
              <SecurityTab user={user} />
            </Tabs.Content>
          </Tabs.Root>
        )}
      </main>
    </div>
  )
}

const tabOf = (value: string | null): Tab | undefined => TABS.find((tab) => tab === value)
