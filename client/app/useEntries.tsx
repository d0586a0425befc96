import {
  Ban,
  Bell,
  BellOff,
  Bookmark,
  Eraser,
  Flag,
  House,
  Images,
  Keyboard,
  LockKeyhole,
  LockKeyholeOpen,
  LogOut,
  type LucideIcon,
  MessageSquare,
  Moon,
  Pencil,
  Phone,
  ScanLine,
  Sun,
  Timer,
  Trash2,
  UserRound,
  UserRoundPlus,
  UserRoundX,
} from 'lucide-react'
import { useStore } from 'zustand'
import { unmuteRoom } from '../alerts/notifications/mute.ts'
import { lockChat } from '../chat/chatlocks/relock.ts'
import { isTimable } from '../chat/timers/isTimable.ts'
import { accountStore } from '../me/account/accountState.ts'
import type { AddingWay } from '../people/contacts/AddMenu.tsx'
import { type Act, askAct } from '../people/contacts/acts.ts'
import { type DirectChat, directChat, faceOf, personOfDirect } from '../rooms/list/members.ts'
import { notesRoom } from '../rooms/list/notes.ts'
import { isBlocked, isNotes, isRequest, NOTES } from '../rooms/list/room.ts'
import { isShutRow, roomsStore, sortRooms } from '../rooms/list/roomList.ts'
import { openDetails } from '../rooms/trust/details.ts'
import { nameOf, peopleStore } from '../rooms/trust/people.ts'
import { useEnv } from '../ui/env.tsx'
import type { Entry as Found } from './entries.ts'
import { lockPage } from './lockPage.ts'
import { PLACE_ICONS } from './placeIcons.tsx'
import { addressOf, GROUPS } from './places.ts'
import { PARTS, type PartId, TITLES } from './settingsWords.ts'
import { showNotes } from './showNotes.ts'
import { themeStore, toggleTheme } from './theme.ts'

export interface Entry extends Found {
  icon: LucideIcon
}

/** What the entries of the palette lead to. */
export interface Ways {
  /** The chat that is open: what can be done with its person is offered. */
  openRoomId: string | undefined
  onGo: (address: string) => void
  onAdd: (way: AddingWay) => void
  onUnread: () => void
  onKeys: () => void
  onCalls: () => void
  onLogout: () => void
}

/** All entries of the palette: the chats, the settings and actions, and last what can be done with the person of the open chat. */
export function useEntries({ openRoomId, onGo, onAdd, onUnread, onKeys, onCalls, onLogout }: Ways): Entry[] {
  const env = useEnv()
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const people = useStore(peopleStore, (state) => state.people)
  const user = useStore(accountStore, (state) => state.user)
  const theme = useStore(themeStore, (state) => state.theme)
  const talks = sortRooms(rooms.values()).flatMap((room): Entry[] => {
    const face = faceOf(room, people)
    if (!face) return []
    const person = personOfDirect(room, people)
    const handle = person && `@${person.username}`
    const run = () => onGo(`/chat/${room.id}`)
    return [
      {
        ...{ id: room.id, group: 'Chats' as const, icon: isNotes(room) ? Bookmark : MessageSquare, run },
        words: (isRequest(room) && handle) || face.name,
        ...(isRequest(room) ? { hint: 'Request' } : handle && !person.isDeleted && { hint: handle }),
      },
    ]
  })
  const settings = GROUPS.flat().map(
    (place): Entry => ({
      ...{ id: place, group: 'Settings', words: TITLES[place], icon: PLACE_ICONS[place] },
      run: () => onGo(addressOf(place)),
    }),
  )
  const parts = (Object.keys(PARTS) as PartId[]).map((id): Entry => {
    const { place, title } = PARTS[id]
    return {
      ...{ id: `part-${id}`, group: 'Settings', words: title, hint: TITLES[place], icon: PLACE_ICONS[place], isPart: true },
      run: () => onGo(addressOf(place, id)),
    }
  })
  const isDark = theme === 'dark'
  const open = directChat(rooms.get(openRoomId ?? ''), people)
  return [
    ...talks,
    action('Add by Username/Onion', UserRoundPlus, () => onAdd('name')),
    action('Invite', UserRoundPlus, () => onAdd('invite')),
    action('Scan QR', ScanLine, () => onAdd('scan')),
    ...(notesRoom() ? [] : [action(NOTES, Bookmark, () => void showNotes(env, onGo))]),
    action('Next unread chat', Bell, onUnread),
    action('Calls', Phone, onCalls),
    action('Home', House, () => onGo('/home')),
    ...settings,
    ...parts,
    ...(user ? [action('Lock now', LockKeyhole, () => void lockPage(env, user.id, onGo))] : []),
    action(isDark ? 'Use light theme' : 'Use dark theme', isDark ? Sun : Moon, toggleTheme),
    action('All keys', Keyboard, onKeys),
    action('Logout', LogOut, onLogout),
    ...(open ? actsOn(open, { unmute: () => void unmuteRoom(env, open.room), lock: () => void lockChat(env, open.room) }) : []),
  ]
}

const action = (words: string, icon: LucideIcon, run: () => void): Entry => ({ id: words, group: 'Actions', words, icon, run })

/** What can be done with the person of the open chat, as the menu of their row has it. */
function actsOn({ room, person }: DirectChat, { unmute, lock }: { unmute: () => void; lock: () => void }): Entry[] {
  const isAsking = isRequest(room)
  const name = isAsking ? `@${person.username}` : nameOf(person)
  const act = (words: string, icon: LucideIcon, run: () => void): Entry => ({ ...action(words, icon, run), group: 'Contact' })
  const asks = (words: string, icon: LucideIcon, asked: Act) => act(words, icon, () => askAct(asked, room.id))
  const block = isBlocked(room) ? asks(`Unblock ${name}`, Ban, 'unblock') : asks(`Block ${name}`, Ban, 'block')
  const report = asks(`Report ${name}`, Flag, 'report')
  if (isAsking) return [block, report]
  const mute = room.mutedUntil
    ? act(`Unmute the chat with ${name}`, Bell, unmute)
    : asks(`Mute the chat with ${name}`, BellOff, 'mute')
  const ofOpen = isShutRow(room)
    ? []
    : [
        asks(`Shared files of the chat with ${name}`, Images, 'shared'),
        asks(`Clear chat with ${name}`, Eraser, 'clear'),
        asks(`Delete the chat with ${name}`, Trash2, 'delete_chat'),
      ]
  const timer = isTimable(room) ? [asks(`Disappearing messages of the chat with ${name}`, Timer, 'timer')] : []
  const remove = asks(`Remove contact ${name}`, UserRoundX, 'remove')
  if (person.isDeleted) return [...ofOpen, remove]
  const password =
    room.lock === 'open'
      ? [
          act(`Lock the chat with ${name} now`, LockKeyhole, lock),
          asks(`Change the password of the chat with ${name}`, LockKeyhole, 'change_password'),
        ]
      : room.lock === 'shut'
        ? [asks(`Enter the password of the chat with ${name}`, LockKeyholeOpen, 'unlock')]
        : room.lock === 'claimed'
          ? [asks(`Open the chat with ${name} with your account`, LockKeyholeOpen, 'open_claimed')]
          : [asks(`Set a password for the chat with ${name}`, LockKeyhole, 'set_password')]
  const details = act(`Contact details of ${name}`, UserRound, () => openDetails(room.id))
  return [
    details,
    asks(`Change the name of ${name}`, Pencil, 'name'),
    mute,
    ...timer,
    ...password,
    ...ofOpen,
    block,
    report,
    remove,
  ]
}
