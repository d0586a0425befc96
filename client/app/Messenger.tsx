import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation, useRoute, useSearch } from 'wouter'
import { useStore } from 'zustand'
import { Title } from '../alerts/notifications/Title.tsx'
import { askCallList, callAskStore } from '../chat/callline/askCall.ts'
import { callStore } from '../chat/calls/callState.ts'
import { preloadSending } from '../chat/messages/Composer.tsx'
import { accountStore } from '../me/account/accountState.ts'
import type { AddingWay } from '../people/contacts/AddMenu.tsx'
import { actStore } from '../people/contacts/acts.ts'
import { isArchived, isDeleted, marksStore } from '../rooms/list/marks.ts'
import { isEmptyNotes } from '../rooms/list/notes.ts'
import { isNews, type RoomRow, roomsStore, sortRooms } from '../rooms/list/roomList.ts'
import { pauseVoice } from '../rooms/list/voicedrafts.ts'
import { lostBookStore } from '../rooms/trust/book.ts'
import { Boundary } from '../ui/Boundary.tsx'
import { EarlyField } from '../ui/Early.tsx'
import { later } from '../ui/later.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { closeStep } from '../ui/steps.ts'
import { NARROW, useMedia } from '../ui/useMedia.tsx'
import { CHATS } from './chatAddresses.ts'
import { roomBeside } from './keys.ts'
import { leaveChat } from './leaveChat.ts'
import { Panel } from './Panel.tsx'
import { Sidebar } from './Sidebar.tsx'
import { ADMIN, SETTINGS } from './SidebarTop.tsx'
import { useFocusAfterSettings } from './useFocusAfterSettings.tsx'
import { useKeys } from './useKeys.tsx'
import { useOwnPage } from './useOwnPage.tsx'

/** For what nobody misses where it did not load. */
const unmissed = <Props,>(load: () => Promise<ComponentType<Props>>) =>
  lazy(() =>
    load().then(
      (shown) => ({ default: shown }),
      () => ({ default: () => null }),
    ),
  )
const Tooltips = unmissed(async () => (await import('../ui/Tooltips.tsx')).Tooltips)
const Phone = unmissed(async () => (await import('./Phone.tsx')).Phone)
const FirstAdministrator = later(async () => (await import('../admin/FirstAdministrator.tsx')).FirstAdministrator)
const InviteDialog = later(async () => (await import('../people/contactcodes/InviteDialog.tsx')).InviteDialog)
const ScanDialog = later(async () => (await import('../people/contactcodes/ScanDialog.tsx')).ScanDialog)
const AddContactDialog = later(async () => (await import('../people/contacts/AddContactDialog.tsx')).AddContactDialog)
const ContactActs = later(async () => (await import('../people/contacts/ContactActs.tsx')).ContactActs)
const LogoutDialog = later(async () => (await import('../me/account/LogoutDialog.tsx')).LogoutDialog)

const CallOverlay = later(async () => (await import('../chat/calls/CallOverlay.tsx')).CallOverlay)
const CallBar = later(async () => (await import('../chat/calls/CallBar.tsx')).CallBar)

const Palette = later(async () => (await import('./Palette.tsx')).Palette, EarlyField)
const NoticeLine = later(async () => (await import('./NoticeLine.tsx')).NoticeLine)
const KeysSheet = later(async () => (await import('./KeysSheet.tsx')).KeysSheet)

const LostBook = lazy(async () => ({ default: (await import('../me/security/LostBook.tsx')).LostBook }))
const Settings = lazy(async () => ({ default: (await import('./Settings.tsx')).Settings }))

const OwnPage = lazy(async () => ({ default: (await import('./OwnPage.tsx')).OwnPage }))

/** The signed-in product: the list, and one chat or the welcome beside it. */
export function Messenger() {
  const user = useStore(accountStore, (state) => state.user)
  const isBookLost = useStore(lostBookStore, ({ isLost }) => isLost)
  const isAsked = useStore(actStore, ({ asked }) => asked !== null)
  const isCalling = useHadCall()
  const isCallAside = useStore(callStore, (call) => call.isMinimised)
  const [location, navigate] = useLocation()
  const isSettings = location === '/settings' || location === '/subscribe'
  const search = useSearch()
  const [, params] = useRoute('/chat/:chatRoomId')
  const openRoomId = params?.chatRoomId
  const isPhone = useMedia(NARROW)
  const isTouch = useMedia('(pointer: coarse)')
  const hasNobody = useStore(roomsStore, ({ status, rooms }) => status === 'ready' && rooms.size === 0)
  const isHome = !openRoomId && (hasNobody || !CHATS.includes(location))
  const [isLeaving, setLeaving] = useState(false)
  const [adding, setAdding] = useState<AddingWay>()
  const endAdding = () => setAdding(undefined)
  const isOwnPage = useOwnPage(location, user)
  const isPage = isSettings || isOwnPage
  // A reload of the plans forgets everything but the chat that led there.
  const before = useRef<string>(history.state?.askedIn ?? '/')
  useEffect(() => {
    if (!isPage) before.current = location
  }, [isPage, location])
  useFocusAfterSettings(isSettings ? SETTINGS : isOwnPage && location === '/admin' ? ADMIN : undefined)
  useEffect(() => void preloadSending(), [])
  const isReady = useStore(roomsStore, ({ status }) => status === 'ready')
  useEffect(() => {
    if (isReady) void import('../ui/emojiFont.ts').then(({ loadEmojiFont }) => loadEmojiFont()).catch(() => undefined)
  }, [isReady])

  /** Somebody without the right has seen the chats at this very address before. */
  const leaveOwnPage = () => navigate(before.current === location ? '/' : before.current)

  /** A phone shows one chat over the list; another one takes its place there. */
  const go = (address: string) =>
    navigate(address, { replace: isPhone && openRoomId !== undefined && address.startsWith('/chat/') })

  function openUnread() {
    const rooms = listedRooms()
    // The search begins after the open chat and wraps around, so that repeated presses reach every unread one.
    const at = rooms.findIndex(({ id }) => id === openRoomId) + 1
    const next = [...rooms.slice(at), ...rooms.slice(0, at)].find(isNews)
    if (next) go(`/chat/${next.id}`)
  }

  const [over, setOver] = useState<'palette' | 'keys'>()
  const endOver = () => setOver(undefined)

  function openBeside(step: -1 | 1) {
    const ids = listedRooms().map(({ id }) => id)
    const beside = roomBeside(ids, openRoomId, step)
    if (beside) go(`/chat/${beside}`)
  }

  function goBack() {
    if (pauseVoice() || closeStep()) return
    if (isSettings) navigate(isPhone && search ? '/settings' : before.current)
    else if (openRoomId && !endSelection()) leaveChat(isPhone)
  }

  useKeys({
    palette: () => setOver('palette'),
    keys: () => setOver('keys'),
    previous: () => openBeside(-1),
    next: () => openBeside(1),
    back: goBack,
  })

  if (!user) return <Spinner words="Loading user..." isVisible />
  return (
    <>
      <Title />
      {isBookLost && (
        <Suspense>
          <LostBook />
        </Suspense>
      )}
      {isPage ? (
        <Boundary isPage>
          <NoticeLine tier={user.subscriptionTier} isSafetyOnly onGo={navigate} />
          {isCallAside && <CallBar />}
          <Suspense fallback={<Spinner words="Loading" />}>
            {isOwnPage ? (
              <OwnPage location={location} user={user} onBack={leaveOwnPage} onHome={() => navigate('/')} />
            ) : (
              <Settings user={user} onBack={() => navigate(before.current)} onLogout={() => setLeaving(true)} />
            )}
          </Suspense>
        </Boundary>
      ) : (
        <div className={`app ${openRoomId ? 'has-chat' : ''} ${isHome ? 'at-home' : ''}`}>
          <Sidebar
            user={user}
            openRoomId={openRoomId}
            isMain={isPhone && !openRoomId && !isHome}
            onGo={navigate}
            onAdd={setAdding}
            onCalls={askCallList}
            onLogout={() => setLeaving(true)}
          />
          <main className="panel">
            <Boundary key={openRoomId ?? ''}>
              <Panel
                user={user}
                openRoomId={openRoomId}
                onClose={() => leaveChat(isPhone)}
                onList={hasNobody ? undefined : () => navigate('/')}
                onAdd={() => setAdding('name')}
              />
            </Boundary>
          </main>
        </div>
      )}
      {location === '/admin' && !isOwnPage && <FirstAdministrator user={user} onClose={() => navigate('/')} />}
      {adding === 'name' && <AddContactDialog onClose={endAdding} />}
      {adding === 'invite' && <InviteDialog user={user} onClose={endAdding} />}
      {adding === 'scan' && <ScanDialog user={user} onClose={endAdding} />}
      {over === 'palette' && (
        <Palette
          openRoomId={openRoomId}
          onClose={endOver}
          onGo={go}
          onAdd={setAdding}
          onUnread={openUnread}
          onKeys={() => setOver('keys')}
          onCalls={askCallList}
          onLogout={() => setLeaving(true)}
        />
      )}
      {over === 'keys' && <KeysSheet onClose={endOver} />}
      {isCalling && <CallOverlay onOpenChat={(chatRoomId) => go(`/chat/${chatRoomId}`)} />}
      {isLeaving && <LogoutDialog onClose={() => setLeaving(false)} />}
      {isAsked && <ContactActs onGone={(chatRoomId) => chatRoomId === openRoomId && leaveChat(isPhone)} />}
      <Suspense>
        <Tooltips />
        {(isPhone || isTouch) && <Phone isNarrow={isPhone} />}
      </Suspense>
    </>
  )
}

function listedRooms(): RoomRow[] {
  const { marks } = marksStore.getState()
  const isListed = (room: RoomRow) => !isArchived(room, marks) && !isDeleted(room, marks) && !isEmptyNotes(room)
  return sortRooms(roomsStore.getState().rooms.values()).filter(isListed)
}

/** Ends a selection among the messages. False if there is none. */
function endSelection(): boolean {
  const chosen = getSelection()
  const isHere = chosen?.isCollapsed === false && chosen.anchorNode?.parentElement?.closest('.talk') != null
  if (isHere) chosen.removeAllRanges()
  return isHere
}

/** True from the first call, or question about calls, on. What is said of the end of a call comes after it. */
function useHadCall(): boolean {
  const isNow = useStore(callStore, ({ phase }) => phase !== 'idle')
  const isAsked = useStore(callAskStore, ({ asked }) => asked !== null)
  const [had, setHad] = useState(false)
  if ((isNow || isAsked) && !had) setHad(true)
  return had
}
