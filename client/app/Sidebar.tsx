import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { Bell } from '../alerts/notifications/Bell.tsx'
import { callStore } from '../chat/calls/callState.ts'
import type { AddingWay } from '../people/contacts/AddMenu.tsx'
import { ContactList } from '../people/contacts/ContactList.tsx'
import { later } from '../ui/later.tsx'
import { ASKED } from './askedTab.ts'
import { SidebarTop } from './SidebarTop.tsx'

const CallBar = later(async () => (await import('../chat/calls/CallBar.tsx')).CallBar)
const NoticeLine = later(async () => (await import('./NoticeLine.tsx')).NoticeLine)

interface Props {
  user: User
  openRoomId: string | undefined
  /** True where nothing is shown beside it. */
  isMain: boolean
  onGo: (address: string) => void
  onAdd: (way: AddingWay) => void
  onCalls: () => void
  onLogout: () => void
}

/** The list of chats, and what asks for the person's attention above it. */
export function Sidebar({ user, openRoomId, isMain, onGo, onAdd, onCalls, onLogout }: Props) {
  // The chat of the call has the bar itself.
  const isCallAside = useStore(callStore, (call) => call.isMinimised && call.chatRoomId !== openRoomId)
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
      <ContactList
        openRoomId={openRoomId}
        onOpen={(chatRoomId) => onGo(`/chat/${chatRoomId}`)}
        onAdd={onAdd}
        onPlans={() => {
          sessionStorage.setItem(ASKED, 'subscription')
          onGo('/settings')
        }}
        above={<NoticeLine tier={user.subscriptionTier} isKitSaid={!isMain && !openRoomId} onGo={onGo} />}
        beside={<Bell onSettings={() => onGo('/settings?tab=notifications')} />}
      />
    </div>
  )
}
