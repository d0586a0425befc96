import { BellOff, BellRing, Eye, Volume2 } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { isRequest } from '../../rooms/list/room.ts'
import { type RoomRow, roomsStore, sortRooms } from '../../rooms/list/roomList.ts'
import { useFace } from '../../rooms/list/useFace.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { Part } from '../../ui/Part.tsx'
import { SwitchLine } from '../../ui/SwitchLine.tsx'
import { askPermission, type Standing, standing } from './desktop.ts'
import { mutedWords, unmuteRoom } from './mute.ts'
import { changePrefs, prefsStore } from './newsPrefs.ts'
import { playSound } from './sound.ts'

/** What this browser does about news, and which chats are muted. Between the two the app places what goes on without a page. */
export function NotificationSettings({ children }: { children?: ReactNode }) {
  return (
    <>
      <Part id="news" title="This browser" text="Each browser has choices of its own.">
        <Choices />
      </Part>
      {children}
      <Part id="muted" title="Muted chats" text="In all your browsers. They keep their count and make no other noise.">
        <MutedChats />
      </Part>
    </>
  )
}

const WORDS: Record<Standing, string> = {
  granted: 'While you look elsewhere, the system says “New message”. One press opens the chat.',
  default: 'While you look elsewhere, the system says “New message”. Your browser asks you first.',
  denied: 'Your browser blocks notifications of this page. Allow them in its settings for this address, then come back here.',
  unsupported: 'This browser shows no notifications of pages. The count in the tab’s title stays.',
  insecure: 'Browsers show notifications of pages on HTTPS alone. The count in the tab’s title stays.',
}

function Choices() {
  const { isDesktop, hasContent, hasSound } = useStore(prefsStore)
  const [allowed, setAllowed] = useState(standing)
  const isOn = isDesktop && allowed === 'granted'
  // People may change the permission in the browser's own settings and return.
  useEffect(() => {
    const look = () => setAllowed(standing())
    globalThis.addEventListener('focus', look)
    return () => globalThis.removeEventListener('focus', look)
  }, [])

  async function switchDesktop() {
    if (isOn) return changePrefs({ isDesktop: false, offer: 'answered' })
    const now = await askPermission()
    setAllowed(now)
    changePrefs({ isDesktop: now === 'granted', offer: 'answered' })
  }

  function switchSound() {
    changePrefs({ hasSound: !hasSound })
    // What is switched on is heard once.
    if (!hasSound) void playSound()
  }

  return (
    <ul className="lines">
      <SwitchLine
        icon={BellRing}
        name="Tell me when this page is in the background"
        words={WORDS[allowed]}
        isOn={isOn}
        isDisabled={allowed !== 'granted' && allowed !== 'default'}
        onSwitch={switchDesktop}
      />
      <SwitchLine
        icon={Eye}
        name="Show the sender and the text there"
        words="Whoever sees your screen can read them, and your system may keep them."
        isOn={isOn && hasContent}
        isDisabled={!isOn}
        onSwitch={() => changePrefs({ hasContent: !hasContent })}
      />
      <SwitchLine
        icon={Volume2}
        name="Sound"
        words="Two short notes for a message that you do not see come."
        isOn={hasSound}
        onSwitch={switchSound}
      />
    </ul>
  )
}

function MutedChats() {
  const status = useStore(roomsStore, (state) => state.status)
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const muted = sortRooms(rooms.values()).filter((room) => !isRequest(room) && room.mutedUntil !== null)
  if (status !== 'ready')
    return <p className="small t2">{status === 'loading' ? 'Loading...' : 'Your chats could not be loaded.'}</p>
  if (muted.length === 0)
    return <p className="small t2">None. A chat is muted in its contact details or in the menu of its row.</p>
  return (
    <ul className="lines">
      {muted.map((room) => (
        <MutedChat key={room.id} room={room} />
      ))}
    </ul>
  )
}

function MutedChat({ room }: { room: RoomRow }) {
  const env = useEnv()
  const now = useNow()
  const name = useFace(room)?.name
  if (!name || !room.mutedUntil) return null
  return (
    <li>
      <BellOff className="i" aria-hidden />
      <div>
        <b dir="auto">{name}</b>
        <p>{mutedWords(room.mutedUntil, now)}</p>
      </div>
      <div className="acts">
        <button
          type="button"
          className="btn compact outline"
          aria-label={`Unmute ${name}`}
          onClick={() => void unmuteRoom(env, room)}
        >
          Unmute
        </button>
      </div>
    </li>
  )
}
