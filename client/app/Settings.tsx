import { ChevronLeft, CloudOff } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { forgetReceived } from '../chat/transferline/transferState.ts'
import { connectionStore } from '../net/status.ts'
import { Membership } from '../plan/family/Membership.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { later } from '../ui/later.tsx'
import { Note } from '../ui/Note.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { useOnline } from '../ui/useOnline.tsx'
import { ProfileTab } from './ProfileTab.tsx'
import { PASSWORD, SecurityTab } from './SecurityTab.tsx'
import { ASKED, addressOf, isOwnPage, openedAt, TAB_OF, tabInAddress } from './tabs.ts'
import './lines.css'
import './settings.css'

const NotificationSettings = lazy(async () => ({
  default: (await import('../alerts/notifications/NotificationSettings.tsx')).NotificationSettings,
}))
const PushSettings = lazy(async () => ({ default: (await import('../alerts/push/PushSettings.tsx')).PushSettings }))
const RingClosed = lazy(async () => ({ default: (await import('../chat/calls/RingClosed.tsx')).RingClosed }))
const PlanTab = lazy(async () => ({ default: (await import('../plan/plans/PlanTab.tsx')).PlanTab }))
const Storage = lazy(async () => ({ default: (await import('../chat/files/Storage.tsx')).Storage }))
const SessionsPage = lazy(async () => ({ default: (await import('../me/sessions/SessionsPage.tsx')).SessionsPage }))

const CoinPart = later(async () => (await import('../plan/coins/CoinPart.tsx')).CoinPart)
/** The page that lists all plans. */
const SUBSCRIBE = '/subscribe'

const TITLES = { notifications: 'Notifications', storage: 'Storage', devices: 'Sessions and devices' }

interface Props {
  user: User
  onBack: () => void
}

/** The settings screen, which replaces the chats: three tabs, and the pages that they lead to. */
export function Settings({ user, onBack }: Props) {
  const title = useRef<HTMLHeadingElement>(null)
  const [search, setSearch] = useSearchParams()
  const [asked, setAsked] = useState(() => sessionStorage.getItem(ASKED))
  const place = openedAt(asked, search.get('tab'))
  const [location, navigate] = useLocation()
  const isSubscribe = location === SUBSCRIBE
  const page = isOwnPage(place) ? place : undefined
  useEffect(() => sessionStorage.removeItem(ASKED), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page of the settings begins at its title
  useEffect(() => title.current?.focus(), [page])

  function open(next: string) {
    setAsked(null)
    setSearch({ tab: tabInAddress(openedAt(next, null)) }, { replace: true })
  }

  const plans = (
    <Suspense fallback={<Spinner words="Loading" />}>
      <PlanTab tier={user.subscriptionTier} />
      <CoinPart />
    </Suspense>
  )
  return (
    <div className="settings">
      <main className="page">
        <header>
          <IconButton
            icon={ChevronLeft}
            label={page && !isSubscribe ? 'Back to Profile Settings' : 'Back to chat'}
            onClick={page && !isSubscribe ? () => open(TAB_OF[page]) : onBack}
          />
          <h1 ref={title} tabIndex={-1}>
            {isSubscribe ? 'Security Plans' : page ? TITLES[page] : 'Profile Settings'}
          </h1>
        </header>
        <AwayNote />
        {isSubscribe ? (
          <div className="own-page">{plans}</div>
        ) : page ? (
          <Suspense fallback={<Spinner words="Loading" />}>
            {page === 'devices' ? (
              <SessionsPage onChangePassword={() => navigate(`${addressOf('security')}#${PASSWORD}`)} />
            ) : (
              <div className="own-page">
                {page === 'storage' ? (
                  <Storage onCleared={forgetReceived} />
                ) : (
                  <NotificationSettings>
                    <PushSettings>
                      <RingClosed />
                    </PushSettings>
                  </NotificationSettings>
                )}
              </div>
            )}
          </Suspense>
        ) : (
          <Tabs.Root value={place} onValueChange={open}>
            <Tabs.List className="tabs" aria-label="Profile settings">
              <Tabs.Trigger value="profile">Profile</Tabs.Trigger>
              <Tabs.Trigger value="subscription">Plan</Tabs.Trigger>
              <Tabs.Trigger value="security">Security</Tabs.Trigger>
            </Tabs.List>
            <Tabs.Content value="profile" tabIndex={-1}>
              <ProfileTab user={user} />
            </Tabs.Content>
            <Tabs.Content value="subscription" tabIndex={-1}>
              {plans}
              <Membership user={user} />
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

/** Says what still works without a connection. */
function AwayNote() {
  const isOnline = useOnline()
  const isCut = useStore(connectionStore, ({ phase }) => phase === 'waiting')
  if (isOnline && !isCut) return null
  return (
    <Note icon={CloudOff} role="status">
      <strong>{isOnline ? 'The server cannot be reached.' : 'You are offline.'}</strong> What is kept on the server can be neither
      read nor changed now. This page goes on by itself as soon as there is a connection.
    </Note>
  )
}
