import { lazy, Suspense } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { Bell } from '../alerts/notifications/Bell.tsx'
import { OfferOnce } from '../alerts/notifications/OfferOnce.tsx'
import { callStore } from '../chat/calls/callState.ts'
import { type AddingWay, ContactList } from '../people/contacts/ContactList.tsx'
import { vanishedStore } from '../people/contacts/vanished.ts'
import { later } from '../ui/later.tsx'
import { ASKED } from './askedTab.ts'
import { SidebarTop } from './SidebarTop.tsx'

const CallBar = later(async () => (await import('../chat/calls/CallBar.tsx')).CallBar)
const NewDevices = later(async () => (await import('../me/devices/NewDevices.tsx')).NewDevices)
const Reminders = later(async () => (await import('./Reminders.tsx')).Reminders)

const CodeUses = lazy(async () => ({ default: (await import('../people/contactcodes/CodeUses.tsx')).CodeUses }))
const Vanished = lazy(async () => ({ default: (await import('../people/contacts/Vanished.tsx')).Vanished }))

interface Props {
  user: User
  openRoomId: string | undefined
  /** True where nothing is shown beside it. */
  isMain: boolean
  onGo: (address: string) => void
  onAdd: (way: AddingWay) => void
  onReview: () => void
  onCalls: () => void
  onLogout: () => void
}

/** The list of chats, and what asks for the person's attention above it. */
export function Sidebar({ user, openRoomId, isMain, onGo, onAdd, onReview, onCalls, onLogout }: Props) {
  // The chat of the call has the bar itself.
  const isCallAside = useStore(callStore, (call) => call.isMinimised && call.chatRoomId !== openRoomId)
  const isMissingSome = useStore(vanishedStore, ({ vanished }) => vanished.length > 0)
  // An aside may not be the main part, which the list is on a phone where nothing else is shown.
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a label
    <div className="side" role={isMain ? 'main' : 'complementary'} aria-label="Contacts">
      <SidebarTop
        user={user}
        isTitle={!openRoomId}
        onHome={() => onGo('/home')}
        onAdmin={() => onGo('/admin')}
        onSettings={() => onGo('/settings')}
        onCalls={onCalls}
        onLogout={onLogout}
      />
      {isCallAside && <CallBar />}
      <NewDevices onReview={onReview} />
      <Suspense>
        <CodeUses />
      </Suspense>
      {isMissingSome && (
        <Suspense>
          <Vanished />
        </Suspense>
      )}
      <OfferOnce />
      <Reminders tier={user.subscriptionTier} />
      <ContactList
        openRoomId={openRoomId}
        onOpen={(chatRoomId) => onGo(`/chat/${chatRoomId}`)}
        onAdd={onAdd}
        onPlans={() => {
          sessionStorage.setItem(ASKED, 'subscription')
          onGo('/settings')
        }}
        beside={<Bell onSettings={() => onGo('/settings?tab=notifications')} />}
      />
    </div>
  )
}
