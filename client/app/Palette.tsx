import {
  Bell,
  House,
  Keyboard,
  LogOut,
  type LucideIcon,
  MessageSquare,
  MonitorSmartphone,
  Moon,
  ScanLine,
  Search,
  Shield,
  Sun,
  UserRoundCog,
  UserRoundPlus,
} from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { AddingWay } from '../contacts/ContactList.tsx'
import { roomsStore, sortRooms } from '../rooms/list.ts'
import { peerIdOf } from '../rooms/room.ts'
import { nameOf, peopleStore } from '../trust/people.ts'
import { type Entry as Found, foundEntries } from './entries.ts'
import './palette.css'
import { themeStore, toggleTheme } from './theme.ts'

interface Entry extends Found {
  icon: LucideIcon
}

interface Props {
  onClose: () => void
  onGo: (address: string) => void
  onAdd: (way: AddingWay) => void
  onUnread: () => void
  onKeys: () => void
  onLogout: () => void
}

/** Leads to a conversation, a setting or an action by a few letters. */
export function Palette({ onClose, ...does }: Props) {
  const entries = useEntries(does)
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const found = useMemo(() => foundEntries(entries, typed), [entries, typed])
  const chosen = found[Math.min(at, found.length - 1)]
  const list = useRef<HTMLDivElement>(null)
  const opener = useRef(document.activeElement)
  const after = useRef<() => void>(undefined)
  const id = useId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is to be seen
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  function choose(entry: Entry | undefined) {
    if (!entry) return
    after.current = entry.run
    onClose()
  }

  function press(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) {
      event.preventDefault()
      setAt((Math.min(at, found.length - 1) + step + found.length) % found.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      choose(chosen)
    }
  }

  // What is chosen finds the focus where it was before, and takes it from there.
  function close(event: Event) {
    event.preventDefault()
    if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true })
    after.current?.()
  }

  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="palette" aria-describedby={undefined} onCloseAutoFocus={close} onKeyDown={press}>
          <Dialog.Title className="sr">Go to</Dialog.Title>
          <label className="palette-field">
            <Search className="i" aria-hidden />
            <span className="sr">Conversations, settings and actions</span>
            <input
              role="combobox"
              aria-expanded="true"
              aria-controls={`${id}-list`}
              aria-activedescendant={chosen && `${id}-${chosen.id}`}
              placeholder="Go to a conversation, a setting, an action"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value)
                setAt(0)
              }}
            />
          </label>
          <div className="palette-list" role="listbox" id={`${id}-list`} aria-label="Found" ref={list}>
            {found.map((entry, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
              <div
                key={entry.id}
                id={`${id}-${entry.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={entry === chosen}
                onClick={() => choose(entry)}
                onPointerMove={() => setAt(index)}
              >
                <entry.icon className="i i-16" aria-hidden />
                <span className="cut" dir="auto">
                  {entry.words}
                </span>
                {entry.hint && <span className="hint cut">{entry.hint}</span>}
              </div>
            ))}
          </div>
          <p className={found.length === 0 ? 'palette-none' : 'sr'} role="status">
            {found.length === 0 ? 'Nothing found' : `${found.length} found`}
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function useEntries({ onGo, onAdd, onUnread, onKeys, onLogout }: Omit<Props, 'onClose'>): Entry[] {
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const people = useStore(peopleStore, (state) => state.people)
  const theme = useStore(themeStore, (state) => state.theme)
  const talks = sortRooms(rooms.values()).flatMap((room): Entry[] => {
    const person = people.get(peerIdOf(room) ?? '')
    if (!person) return []
    const handle = `@${person.username}`
    const run = () => onGo(`/chat/${room.id}`)
    const isRequest = room.state === 'pending'
    return [
      {
        ...{ id: room.id, group: 'Conversations' as const, icon: MessageSquare, run },
        words: isRequest ? handle : nameOf(person),
        ...(isRequest ? { hint: 'Request' } : !person.isDeleted && { hint: handle }),
      },
    ]
  })
  const settings = (['profile', 'security', 'devices'] as const).map(
    (tab): Entry => ({
      ...{ id: tab, group: 'Settings', words: PAGES[tab].words, icon: PAGES[tab].icon },
      run: () => onGo(`/settings?tab=${tab}`),
    }),
  )
  const action = (words: string, icon: Entry['icon'], run: () => void): Entry => ({
    ...{ id: words, group: 'Actions', words, icon, run },
  })
  const isDark = theme === 'dark'
  return [
    ...talks,
    action('Add by Username/Onion', UserRoundPlus, () => onAdd('name')),
    action('Invite', UserRoundPlus, () => onAdd('invite')),
    action('Scan QR', ScanLine, () => onAdd('scan')),
    action('Next unread conversation', Bell, onUnread),
    action('Home', House, () => onGo('/home')),
    ...settings,
    action(isDark ? 'Use light theme' : 'Use dark theme', isDark ? Sun : Moon, toggleTheme),
    action('All keys', Keyboard, onKeys),
    action('Logout', LogOut, onLogout),
  ]
}

const PAGES = {
  profile: { words: 'Profile', icon: UserRoundCog },
  security: { words: 'Security', icon: Shield },
  devices: { words: 'Sessions and devices', icon: MonitorSmartphone },
}
