import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation, useRoute } from 'wouter'
import { useStore } from 'zustand'
import { accountStore } from '../account/store.ts'
import { ContactList } from '../contacts/ContactList.tsx'
import { vanishedStore } from '../contacts/vanished.ts'
import { NewDevices } from '../devices/NewDevices.tsx'
import { KitReminder } from '../kit/KitReminder.tsx'
import { roomsStore, sortRooms } from '../rooms/list.ts'
import { signInsStore } from '../sessions/store.ts'
import { lostBookStore } from '../trust/book.ts'
import { Boundary } from '../ui/Boundary.tsx'
import { TooltipProvider } from '../ui/IconButton.tsx'
import { later } from '../ui/later.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { Panel } from './Panel.tsx'
import { SETTINGS, SidebarTop } from './SidebarTop.tsx'

const LogoutDialog = later(async () => (await import('../account/LogoutDialog.tsx')).LogoutDialog)

const Vanished = lazy(async () => ({ default: (await import('../contacts/Vanished.tsx')).Vanished }))
const LostBook = lazy(async () => ({ default: (await import('../security/LostBook.tsx')).LostBook }))
const NewSignIns = lazy(async () => ({ default: (await import('../sessions/NewSignIns.tsx')).NewSignIns }))
const Settings = lazy(async () => ({ default: (await import('./Settings.tsx')).Settings }))

/** The signed-in product: the list, and one conversation or the welcome beside it. */
export function Messenger() {
  const user = useStore(accountStore, (state) => state.user)
  const isMissingSome = useStore(vanishedStore, ({ vanished }) => vanished.length > 0)
  const isBookLost = useStore(lostBookStore, ({ isLost }) => isLost)
  const isSignInNew = useStore(signInsStore, ({ signIns }) => signIns.length > 0)
  const unread = useStore(roomsStore, (state) => state.unreadTotal)
  const [location, navigate] = useLocation()
  const [isSettings] = useRoute('/settings')
  const [, params] = useRoute('/chat/:chatRoomId')
  const openRoomId = params?.chatRoomId
  const [isLeaving, setLeaving] = useState(false)
  const before = useRef('/')
  useEffect(() => {
    if (!isSettings) before.current = location
  }, [isSettings, location])
  useFocusAfterClosing(openRoomId)
  useFocusAfterSettings(isSettings)

  function openUnread() {
    const rooms = sortRooms(roomsStore.getState().rooms.values())
    // The search begins after the open conversation and wraps around, so that repeated presses reach every unread one.
    const at = rooms.findIndex(({ id }) => id === openRoomId) + 1
    const next = [...rooms.slice(at), ...rooms.slice(0, at)].find(
      ({ state, unreadCount }) => state === 'accepted' && unreadCount > 0,
    )
    if (next) navigate(`/chat/${next.id}`)
  }

  if (!user) return <Spinner words="Loading user..." isVisible />
  return (
    <TooltipProvider>
      <title>{unread > 0 ? `(${unread > 99 ? '99+' : unread}) Conclave` : 'Conclave'}</title>
      {isSettings ? (
        <Boundary>
          <Suspense fallback={<Spinner words="Loading" />}>
            <Settings user={user} onBack={() => navigate(before.current)} />
          </Suspense>
        </Boundary>
      ) : (
        <div className={openRoomId ? 'app has-chat' : 'app'}>
          <aside className="side" aria-label="Contacts">
            <SidebarTop
              user={user}
              unread={unread}
              onHome={() => navigate('/')}
              onUnread={openUnread}
              onSettings={() => navigate('/settings')}
              onLogout={() => setLeaving(true)}
            />
            <NewDevices onReview={() => navigate('/settings?tab=devices')} onLogout={() => setLeaving(true)} />
            {isSignInNew && (
              <Suspense>
                <NewSignIns onChangePassword={() => navigate('/settings?tab=security#password')} />
              </Suspense>
            )}
            {isMissingSome && (
              <Suspense>
                <Vanished />
              </Suspense>
            )}
            {isBookLost && (
              <Suspense>
                <LostBook />
              </Suspense>
            )}
            <KitReminder place="list" />
            <ContactList openRoomId={openRoomId} onOpen={(chatRoomId) => navigate(`/chat/${chatRoomId}`)} />
          </aside>
          <main className="panel">
            <Boundary key={openRoomId ?? ''}>
              <Panel user={user} openRoomId={openRoomId} onHome={() => navigate('/')} onLogout={() => setLeaving(true)} />
            </Boundary>
          </main>
        </div>
      )}
      {isLeaving && <LogoutDialog onClose={() => setLeaving(false)} />}
    </TooltipProvider>
  )
}

/** After closing a conversation, moves the focus to its row in the list. */
function useFocusAfterClosing(openRoomId: string | undefined) {
  const before = useRef(openRoomId)
  useEffect(() => {
    const left = before.current
    before.current = openRoomId
    if (left && !openRoomId)
      document.querySelector<HTMLElement>(`[data-room="${CSS.escape(left)}"]`)?.focus({ preventScroll: true })
  }, [openRoomId])
}

/** After closing the settings, moves the focus to the button that opened them. */
function useFocusAfterSettings(isSettings: boolean) {
  const before = useRef(isSettings)
  useEffect(() => {
    const wasSettings = before.current
    before.current = isSettings
    if (wasSettings && !isSettings) document.querySelector<HTMLElement>(`[aria-label="${SETTINGS}"]`)?.focus()
  }, [isSettings])
}
