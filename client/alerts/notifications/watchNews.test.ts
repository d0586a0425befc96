import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MUTED_FOR_GOOD } from '../../../contract/chat/notifications.ts'
import type { ListedRoom } from '../../../contract/chat/roomlist.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { roomOfRow } from '../../rooms/list/listedRoom.ts'
import { changeRoom, putRooms, type RoomRow, resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { openBrowser } from '../../testing/browser.ts'
import { FRIENDS } from '../../testing/direct.ts'
import { arrivalsIn } from './arrivalsIn.ts'
import { changePrefs, prefsStore } from './newsPrefs.ts'
import { watchNews } from './watchNews.ts'

const ownId = randomUUID()

/** A notification of the system. */
class Shown extends EventTarget {
  static permission: NotificationPermission = 'granted'
  static all: Shown[] = []
  static open = () => Shown.all.filter(({ isOpen }) => isOpen).map(({ title, body }) => [title, body])
  readonly title: string
  readonly body: string
  isOpen = true
  constructor(title: string, { body = '' }: NotificationOptions) {
    super()
    this.title = title
    this.body = body
    Shown.all.push(this)
  }
  close() {
    this.isOpen = false
  }
}

interface Held {
  name: string
  mode: LockMode
  work: () => Promise<void>
}

/** Web Locks, as far as the tabs of one browser use them. */
function newLocks() {
  const held: Held[] = []
  const waiting: Held[] = []
  const isFree = ({ name, mode }: Held) =>
    held.every((other) => other.name !== name || (mode === 'shared' && other.mode === 'shared'))
  function grant(): void {
    for (const one of [...waiting]) {
      if (!isFree(one)) continue
      waiting.splice(waiting.indexOf(one), 1)
      held.push(one)
      void one.work().then(() => {
        held.splice(held.indexOf(one), 1)
        grant()
      })
    }
  }
  return {
    request: async (name: string, { mode, signal }: { mode: LockMode; signal: AbortSignal }, work: () => Promise<void>) => {
      const asked = { name, mode, work }
      waiting.push(asked)
      signal.addEventListener('abort', () => waiting.includes(asked) && waiting.splice(waiting.indexOf(asked), 1))
      grant()
    },
    query: async () => ({ held }),
  }
}

let isLookedAt = false
let stops: (() => void)[] = []
const texts = new Map<number, string>()
const link = { href: '' }

const env = {
  crypto: {
    page: async () => ({
      messages: [...texts].map(([seq, text]) => ({ seq, body: { kind: 'content', content: { type: 'text', text } } })),
    }),
  },
} as unknown as Env

const opens = () => {
  const stop = watchNews(env, (work) => void work)
  stops.push(stop)
  return stop
}

function listed(name: string, change: Partial<ListedRoom> = {}): ListedRoom {
  const id = randomUUID()
  return {
    ...{ chatRoomId: directRoomId(ownId, id), direct: FRIENDS, addedAt: '2026-01-01T00:00:00.000Z' },
    ...{ isPasswordProtected: false, isLocked: false, lastMessageAt: null },
    people: [
      {
        ...{ id, username: name.toLowerCase(), displayName: name, profileImageUrl: null, alias: null },
        ...{ isDeleted: false, isOnline: false, lastSeen: null, deliveredSeq: 0, readSeq: 0 },
        ...{ identityKey: null, manifestVersion: 0 },
      },
    ],
    ...{
      lastSeq: 0,
      lastMessage: null,
      unreadCount: 0,
      mutedUntil: null,
      clearedSeq: 0,
      readSeq: 0,
    },
    ...change,
  }
}

/** Puts a row on the list and returns the id of its room. */
function lists(row: ListedRoom): string {
  const { room, people } = roomOfRow(ownId, row)
  putPeople(people)
  putRooms([room])
  return room.id
}

/** The newest message of a room is another one, from its other member. */
function comes(roomId: string, seq: number, text = ''): void {
  texts.set(seq, text)
  const senderId = roomById(roomId)?.memberIds.find((id) => id !== ownId) ?? ''
  changeRoom(roomId, ({ unreadCount }) => ({
    ...{ unreadCount: unreadCount + 1, lastSeq: seq },
    lastMessage: { id: randomUUID(), seq, senderId, createdAt: new Date(seq * 1000).toISOString() },
  }))
}

/** Everything that was begun has ended. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 60))

beforeEach(openBrowser)
beforeEach(() => {
  isLookedAt = false
  Shown.all = []
  Shown.permission = 'granted'
  texts.clear()
  Object.assign(navigator, { locks: newLocks() })
  const document = Object.assign(new EventTarget(), {
    ...{ visibilityState: 'visible', hasFocus: () => isLookedAt, querySelector: () => link },
  })
  for (const [name, value] of Object.entries({ document, Notification: Shown, isSecureContext: true, focus: vi.fn() }))
    vi.stubGlobal(name, value)
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  vi.stubGlobal('addEventListener', vi.fn())
  vi.stubGlobal('removeEventListener', vi.fn())
  vi.stubGlobal('history', { pushState: vi.fn() })
  changePrefs({ isDesktop: true, hasContent: false, hasSound: false, offer: 'answered' })
  roomsStore.setState({ status: 'ready' })
})
afterEach(() => {
  for (const stop of stops) stop()
  stops = []
  resetRooms()
  resetPeople()
  vi.unstubAllGlobals()
})

test('The system says “New message” without a name or a text, once for all tabs of the browser', async () => {
  const room = lists(listed('Bob'))
  opens()
  opens()
  comes(room, 1, 'the plan')
  await settled()
  expect(Shown.all.map(({ title, body }) => [title, body])).toEqual([['New message', '']])
  comes(room, 2, 'more of it')
  await settled()
  expect(Shown.open()).toEqual([['New messages', '']])
})

test('Nothing is shown of a chat that is muted, of a request, of one’s own message, or of what was there at the start', async () => {
  const muted = lists(listed('Bob', { mutedUntil: MUTED_FOR_GOOD }))
  const request = lists(listed('Carol', { direct: { ...FRIENDS, state: 'pending' } }))
  const own = lists(listed('Dave', { unreadCount: 2 }))
  opens()
  // Neither has a sound.
  const arrived: RoomRow[] = []
  stops.push(roomsStore.subscribe((now, before) => void arrived.push(...arrivalsIn(before, now))))
  comes(muted, 1)
  comes(request, 2)
  changeRoom(own, () => ({ lastMessage: { id: randomUUID(), seq: 9, senderId: ownId, createdAt: '2026-01-02T00:00:00.000Z' } }))
  resetRooms()
  lists(
    listed('Eve', {
      unreadCount: 3,
      lastMessage: { id: randomUUID(), seq: 3, senderId: randomUUID(), createdAt: '2026-01-02T00:00:00.000Z' },
    }),
  )
  roomsStore.setState({ status: 'ready' })
  await settled()
  expect([Shown.all, arrived]).toEqual([[], []])
})

test('Nothing is shown while somebody looks at a tab of the browser, also at another one than that which would show it', async () => {
  const room = lists(listed('Bob'))
  opens()
  isLookedAt = true
  opens()
  isLookedAt = false
  comes(room, 1)
  await settled()
  expect(Shown.all).toEqual([])
})

test('When the tab that tells is closed, another one does', async () => {
  const room = lists(listed('Bob'))
  const close = opens()
  opens()
  close()
  await settled()
  comes(room, 1)
  await settled()
  expect(Shown.open()).toHaveLength(1)
})

test('It closes when the message is read in another browser, when the chat is muted, and when the session ends', async () => {
  const [bob, carol] = [lists(listed('Bob')), lists(listed('Carol'))]
  changePrefs({ hasContent: true })
  const close = opens()
  comes(bob, 1, 'one')
  comes(carol, 2, 'two')
  await settled()
  expect(Shown.open().toSorted()).toEqual([
    ['Bob', 'one'],
    ['Carol', 'two'],
  ])
  changeRoom(bob, () => ({ unreadCount: 0 }))
  expect(Shown.open()).toEqual([['Carol', 'two']])
  changeRoom(carol, () => ({ mutedUntil: MUTED_FOR_GOOD }))
  expect(Shown.open()).toEqual([])
  comes(bob, 3, 'three')
  await settled()
  close()
  expect(Shown.open()).toEqual([])
})

test('It closes when the message whose words it shows is deleted, here or before the list is read again', async () => {
  const [bob, carol] = [lists(listed('Bob')), lists(listed('Carol'))]
  changePrefs({ hasContent: true })
  opens()
  const deleted = { kind: 'text' as const, text: 'This message was deleted', status: null, deletedSeq: 1 }
  changeRoom(bob, () => ({ preview: deleted }))
  comes(bob, 2, 'one')
  comes(carol, 3, 'two')
  await settled()
  expect(Shown.open()).toHaveLength(2)
  changeRoom(bob, () => ({ preview: { ...deleted, deletedSeq: 2 } }))
  expect(Shown.open()).toEqual([['Carol', 'two']])
  changeRoom(carol, () => ({ lastMessage: null }))
  expect(Shown.open()).toEqual([])
})

test('A text that is read while it is being opened is not shown any more, and a night of messages is one notification', async () => {
  const rooms = ['Bob', 'Carol', 'Dave', 'Frank'].map((name) => lists(listed(name)))
  changePrefs({ hasContent: true })
  opens()
  comes(rooms[0] ?? '', 1, 'one')
  changeRoom(rooms[0] ?? '', () => ({ unreadCount: 0 }))
  await settled()
  expect(Shown.all).toEqual([])
  const news = rooms.map((id, at) => {
    const row = roomById(id)
    const lastMessage = {
      id: randomUUID(),
      seq: 9 + at,
      senderId: row?.peers[0]?.id ?? '',
      createdAt: new Date(at * 1000).toISOString(),
    }
    return row && { ...row, unreadCount: 4, lastMessage }
  })
  putRooms(news.filter((row) => row !== undefined))
  await settled()
  expect(Shown.open()).toEqual([['New messages', '']])
})

test('Of a locked chat the system says “New message” even where it shows texts, and locking or unlocking one is no news', async () => {
  const locked = { isPasswordProtected: true, isLocked: true, lastMessageAt: '2026-01-02T00:00:00.000Z' }
  const room = lists(listed('Bob', locked))
  texts.set(1, 'the plan')
  changePrefs({ hasContent: true })
  opens()
  changeRoom(room, () => ({ unreadCount: 1, lastMessageAt: '2026-01-02T00:00:05.000Z' }))
  await settled()
  expect(Shown.open()).toEqual([['Bob', 'New message']])
  changeRoom(room, () => ({ lock: 'open' }))
  changeRoom(room, () => ({ lock: 'shut', unreadCount: 1 }))
  await settled()
  expect(Shown.all).toHaveLength(1)
})

test('Pressing it leads to the chat with the newest of what it told of', async () => {
  const [bob, carol] = [lists(listed('Bob')), lists(listed('Carol'))]
  opens()
  comes(bob, 1)
  comes(carol, 2)
  await settled()
  Shown.all.at(-1)?.dispatchEvent(new Event('click'))
  expect(history.pushState).toHaveBeenCalledWith(null, '', `/chat/${carol}`)
  expect(globalThis.focus).toHaveBeenCalled()
  expect(Shown.open()).toEqual([])
})

test('The page offers to tell once, only after something came while nobody looked, and never where the browser has refused', async () => {
  const room = lists(listed('Bob'))
  changePrefs({ isDesktop: false, offer: 'not_yet' })
  Shown.permission = 'denied'
  opens()
  comes(room, 1)
  await settled()
  expect(prefsStore.getState().offer).toBe('not_yet')
  Shown.permission = 'default'
  isLookedAt = true
  comes(room, 2)
  await settled()
  expect(prefsStore.getState().offer).toBe('not_yet')
  isLookedAt = false
  comes(room, 3)
  await settled()
  expect(prefsStore.getState().offer).toBe('due')
  changePrefs({ offer: 'answered' })
  comes(room, 4)
  await settled()
  expect([prefsStore.getState().offer, Shown.all]).toEqual(['answered', []])
})

test('The icon of the tab shows the number of the bell, and is plain again when nothing is unread or the session has ended', async () => {
  const room = lists(listed('Bob'))
  const muted = lists(listed('Carol', { mutedUntil: MUTED_FOR_GOOD }))
  const close = opens()
  expect(link.href).toBe('/favicon.svg')
  comes(room, 1)
  comes(muted, 2)
  expect(decodeURIComponent(link.href)).toContain('>1</text>')
  changeRoom(room, () => ({ unreadCount: 12 }))
  expect(decodeURIComponent(link.href)).toContain('>9+</text>')
  changeRoom(room, () => ({ unreadCount: 0 }))
  expect(link.href).toBe('/favicon.svg')
  comes(room, 5)
  close()
  expect(link.href).toBe('/favicon.svg')
})

test('The choices of a browser survive a reload, and garbage in their place means that nothing was chosen', () => {
  changePrefs({ hasContent: true })
  prefsStore.setState({ hasContent: false })
  opens()()
  expect(prefsStore.getState()).toMatchObject({ isDesktop: true, hasContent: true })
  localStorage.setItem('notifications', '{"isDesktop":"yes"}')
  opens()
  expect(prefsStore.getState()).toEqual({
    isDesktop: false,
    hasContent: false,
    hasSound: true,
    isPushed: false,
    offer: 'not_yet',
  })
})
