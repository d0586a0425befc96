import { ChevronLeft, CloudOff } from 'lucide-react'
import { type ComponentType, useEffect, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { connectionStore } from '../net/status.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { later } from '../ui/later.tsx'
import { Note } from '../ui/Note.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { NARROW, useMedia } from '../ui/useMedia.tsx'
import { useOnline } from '../ui/useOnline.tsx'
import { ASKED } from './askedTab.ts'
import { PAGE_ID, PlaceList } from './PlaceList.tsx'
import { addressOf, askedPlace, partIn, tabOf } from './places.ts'
import { PARTS, type Place, TITLES } from './settingsWords.ts'
import { useAnchor } from './useAnchor.tsx'
import { useLeaveField } from './useLeaveField.tsx'
import './lines.css'
import './settings.css'
import './places.css'

const page = (load: () => Promise<ComponentType<{ user: User }>>) => later(load, () => <Spinner words="Loading" />)

const PAGES = {
  profile: page(async () => (await import('./ProfilePage.tsx')).ProfilePage),
  notifications: page(async () => (await import('./NotificationsPage.tsx')).NotificationsPage),
  storage: page(async () => (await import('./StoragePage.tsx')).StoragePage),
  about: page(async () => (await import('./AboutPage.tsx')).AboutPage),
  plan: page(async () => (await import('./PlanPage.tsx')).PlanPage),
  security: page(async () => (await import('./SecurityPage.tsx')).SecurityPage),
  privacy: page(async () => (await import('./PrivacyPage.tsx')).PrivacyPage),
  devices: page(async () => (await import('./DevicesPage.tsx')).DevicesPage),
} satisfies Record<Place, unknown>

/** The page that lists all plans. */
const SUBSCRIBE = '/subscribe'
const LIST = '/settings'

interface Props {
  user: User
  onBack: () => void
  onLogout: () => void
}

/** The settings, which replace the chats: the list of pages, and one of them beside it. A phone shows one of the two. */
export function Settings({ user, onBack, onLogout }: Props) {
  const root = useRef<HTMLDivElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const listTitle = useRef<HTMLHeadingElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const isPhone = useMedia(NARROW)
  const [location, navigate] = useLocation()
  const [search] = useSearchParams()
  const [asked, setAsked] = useState(() => sessionStorage.getItem(ASKED))
  const isSubscribe = location === SUBSCRIBE
  const named = askedPlace(asked, isSubscribe ? 'plan' : search.get('tab'))
  const place = named ?? 'profile'
  const isList = isPhone && !named
  const Page = PAGES[place]

  useEffect(() => {
    if (asked === null) return
    sessionStorage.removeItem(ASKED)
    navigate(addressOf(place), { replace: true })
    setAsked(null)
  }, [asked, place, navigate])
  // What is not here yet would not come without a connection.
  useEffect(() => {
    for (const { preload } of Object.values(PAGES)) void preload()
  }, [])
  useEffect(() => {
    const part = partIn(globalThis.location.hash)
    // A part has moved to another page since somebody kept its address.
    if (part && PARTS[part].place !== place) navigate(addressOf(PARTS[part].place, part), { replace: true })
  }, [place, navigate])
  const before = useRef<Place>(undefined)
  useEffect(() => {
    if (!isList) {
      before.current = place
      title.current?.focus()
    } else if (before.current) document.getElementById(`place-${before.current}`)?.focus()
    else listTitle.current?.focus()
  }, [place, isList])
  useAnchor(panel, place)
  useLeaveField(root, title)

  /** The list is where it was left, also for the browser's own way back. */
  const toList = () => (history.state?.isFromList ? history.back() : navigate(LIST, { replace: true }))

  return (
    <div ref={root} className={`settings with-places ${isList ? 'at-list' : ''}`}>
      <PlaceList user={user} place={place} isAlone={isList} title={listTitle} onBack={onBack} onLogout={onLogout} />
      {!isList && (
        <main className="page-place" key={place}>
          <div ref={panel} className="page" id={PAGE_ID} role="tabpanel" aria-labelledby={`place-${tabOf(place)}`}>
            <header>
              {isPhone && <IconButton icon={ChevronLeft} label="Back to settings" onClick={toList} />}
              <h1 ref={title} tabIndex={-1}>
                {isSubscribe ? 'Security Plans' : TITLES[place]}
              </h1>
            </header>
            <AwayNote />
            <div className="own-page">
              <Page user={user} />
            </div>
          </div>
        </main>
      )}
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
