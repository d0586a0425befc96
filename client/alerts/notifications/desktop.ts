import { textWords } from '../../../contract/chat/contentwords.ts'
import { PUSHED } from '../../../contract/chat/pushnews.ts'
import type { Env } from '../../env.ts'
import { faceOf } from '../../rooms/list/members.ts'
import { lineOf, NOT_ENCRYPTED } from '../../rooms/list/preview.ts'
import { isNews, newestAt, type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import { prefsStore } from './newsPrefs.ts'

/** What this browser lets the page do: `default` is not asked yet. */
export type Standing = 'insecure' | 'unsupported' | NotificationPermission

export function standing(): Standing {
  if (!globalThis.isSecureContext) return 'insecure'
  // On Android a page cannot show notifications itself.
  if (!('Notification' in globalThis) || /Android/.test(navigator.userAgent)) return 'unsupported'
  return Notification.permission
}

/** Asks the browser for the permission. Browsers answer only where a press has led here. */
export async function askPermission(): Promise<Standing> {
  if (standing() === 'default') await Notification.requestPermission()
  return standing()
}

/** More rooms than this at once, such as after a night offline, are told in one notification. */
const APART_MAX = 3
/** Tag of the notification that names nobody. The system replaces one by the next of its tag. */
const ALL = 'conclave'

interface OnScreen {
  notification: Notification
  roomIds: string[]
  seq?: number | undefined
}

/** The notifications on screen by tag. */
const shown = new Map<string, OnScreen>()

/** Shows that something has come in these rooms: "New message" alone, unless the person wants to see who has written what. */
export async function showNews(env: Env, rooms: RoomRow[]): Promise<void> {
  if (!prefsStore.getState().hasContent || rooms.length > APART_MAX) return showAll(rooms.map(({ id }) => id))
  for (const room of rooms) {
    const text = await textOf(env, room)
    // It may have been read while its text was opened.
    if (isNewsNow(room.id)) show(room.id, nameIn(room), text, [room.id], room.lastMessage?.seq)
  }
}

function showAll(arrivedIds: string[]): void {
  const roomIds = [...new Set([...(shown.get(ALL)?.roomIds ?? []), ...arrivedIds])].filter(isNewsNow)
  const count = roomIds.reduce((sum, id) => sum + (roomById(id)?.unreadCount ?? 0), 0)
  if (count > 0) show(ALL, count === 1 ? 'New message' : 'New messages', '', roomIds)
}

/** Closes the notifications of what was read meanwhile, in whichever browser, and of what was deleted. */
export function closeRead(): void {
  for (const [tag, { notification, roomIds, seq }] of shown) {
    if (roomIds.some(isNewsNow) && !isDeleted(tag, seq)) continue
    notification.close()
    shown.delete(tag)
  }
}

/** Closes what the service worker has told while no page was open. Call it once nothing is news any more. */
export async function closePushed(): Promise<void> {
  const registration = await globalThis.navigator?.serviceWorker?.getRegistration()
  for (const tag of new Set(Object.values(PUSHED).map((each) => each.tag)))
    for (const notification of (await registration?.getNotifications({ tag })) ?? []) notification.close()
}

export function closeAll(): void {
  for (const { notification } of shown.values()) notification.close()
  shown.clear()
}

function show(tag: string, title: string, body: string, roomIds: string[], seq?: number): void {
  shown.get(tag)?.notification.close()
  // The page has a sound of its own, which can be switched off here.
  const notification = new Notification(title, { body, tag, icon: '/favicon.svg', silent: true })
  notification.addEventListener('click', () => {
    notification.close()
    globalThis.focus()
    const [chatRoomId] = roomIds.filter(isNewsNow).sort(byNewest)
    if (chatRoomId) history.pushState(null, '', `/chat/${chatRoomId}`)
  })
  shown.set(tag, { notification, roomIds, seq })
}

/** The server may name an earlier message. */
function isDeleted(roomId: string, seq: number | undefined): boolean {
  const row = roomById(roomId)
  if (!row || seq === undefined) return false
  return (row.lastMessage?.seq ?? 0) < seq || row.preview?.deletedSeq === seq
}

const isNewsNow = (id: string): boolean => {
  const row = roomById(id)
  return row !== undefined && isNews(row)
}

const timeOf = (id: string) => newestAt(roomById(id) ?? NONE) ?? ''
const NONE = { lastMessage: null, lastMessageAt: null }
const byNewest = (a: string, b: string) => timeOf(b).localeCompare(timeOf(a))

const nameIn = (room: RoomRow): string => faceOf(room, peopleStore.getState().people)?.name ?? 'New message'

/** How often, and how many times, the vault is asked for a message that is still being opened. */
const LOOK_EVERY_MS = 300
const LOOKS = 10
/** Messages that may have come behind it meanwhile. */
const BEHIND = 20

/** The text of a room's newest message once the vault has it; general words where it cannot be read. */
async function textOf(env: Env, { id: chatRoomId, ownId, lastMessage, lock }: RoomRow): Promise<string> {
  if (lock !== 'none') return 'New message'
  for (let looks = 0; looks < LOOKS; looks++) {
    const { messages } = await env.crypto.page({ chatRoomId, limit: BEHIND })
    const newest = messages.find(({ seq }) => seq === lastMessage?.seq)
    const body = newest?.body
    if (body?.kind === 'content') return lineOf(body.content, newest?.senderId === ownId)
    if (body?.kind === 'plain') return `${NOT_ENCRYPTED}: ${textWords(body.text)}`
    if (body) break
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return 'New message'
}
