import { expect } from 'vitest'
import { accountApi } from '../contract/account/account.ts'
import { contactsApi } from '../contract/chat/contacts.ts'
import { messagesApi } from '../contract/chat/messages.ts'
import { muteTerm } from '../contract/chat/notifications.ts'
import { directRoomId } from '../contract/ground/shapes.ts'
import type { Browser } from '../server/testing/browser.ts'
import type { TestSocket } from '../server/testing/socket.ts'
import type { World as Server } from '../server/testing/world.ts'
import { newDevice, PATIENCE, type Person, type Seat, seatsOf } from './people.ts'
import { connect } from './verbs.ts'
import type { Dice, Doer, Verb } from './walk.ts'

/** Somebody who writes to Alice as a program does: what they write is one line of the log, and nothing has to be sealed. */
export interface Friend extends Doer {
  program: Browser
  id: string
  chatRoomId: string
  /** Open while the friend is online. */
  line: TestSocket | undefined
}

/** A browser of Alice, and the chat that it shows. */
export interface Screen extends Doer {
  seat: Seat
  openId: string | undefined
}

export interface Crowd {
  server: Server
  alice: Person
  screens: Screen[]
  friends: Friend[]
  written: number
  /** Rooms that somebody may have read since everything was quiet, and how far each was read by then. */
  touched: Set<string>
  readSeqs: Map<string, number>
  /** Rooms of which somebody was blocked, or that were cleared. */
  hidden: Set<string>
}

const DEVICES = 3
const FRIENDS = ['Bob', 'Carol', 'Dave']

/** Makes Alice at three browsers, and three friends whom she has accepted. */
export async function newCrowd(server: Server): Promise<Crowd> {
  const alice: Person = {
    ...{ name: 'Alice', username: 'alice', password: 'the password of Alice', userId: '', devices: [], removed: [] },
    ...{ keepsHistory: true, historyFrom: 0, readSeq: 0, hasLooked: false, hidden: new Map() },
  }
  await newDevice(server, alice, "Alice's browser 1", (tab) => tab.signsUp(alice))
  for (let at = 2; at <= DEVICES; at++) await newDevice(server, alice, `Alice's browser ${at}`, (tab) => tab.joins(alice))
  const [first] = seatsOf(alice)
  alice.userId = (await first?.tab.state())?.user?.id ?? ''
  const friends: Friend[] = []
  for (const name of FRIENDS) {
    const program = server.stranger()
    const username = name.toLowerCase()
    const password = `the password of ${name}`
    const { id } = await program.does(accountApi.register, { username, displayName: name, password, confirmPassword: password })
    await first?.tab.adds(username)
    await program.does(contactsApi.add, { username: alice.username })
    friends.push({ name, program, id, chatRoomId: directRoomId(alice.userId, id), line: undefined })
  }
  await server.sql("update users set subscription_tier = 'premium'")
  const screens = seatsOf(alice).map((seat) => ({ name: seat.name, seat, openId: undefined }))
  return { server, alice, screens, friends, written: 0, touched: new Set(), readSeqs: new Map(), hidden: new Set() }
}

export function closeCrowd({ screens, friends }: Crowd): void {
  for (const { line } of friends) line?.hangsUp()
  for (const { seat } of screens) seat.tab.close()
}

type AtScreen = (screen: Screen, crowd: Crowd, dice: Dice) => Promise<void>

/** A verb of one of Alice's browsers. */
export function atScreen(weight: number, who: (screen: Screen) => boolean, does: AtScreen): Verb<Crowd> {
  const now: Verb<Crowd>['now'] = (crowd) =>
    crowd.screens.filter(who).map((screen) => ({ busy: [screen], does: (dice) => does(screen, crowd, dice) }))
  return { weight, now }
}

export const isOnline = ({ seat }: Screen) => seat.device.isOnline
const isLooking = ({ seat }: Screen) => seat.isLooking
const roomOf = ({ friends }: Crowd, dice: Dice) => dice.pick(friends).chatRoomId

/** What Alice and her friends can do about what is unread. A feature that hides messages adds its verbs. */
export const UNREAD_VERBS: Record<string, Verb<Crowd>> = {
  writes: {
    weight: 10,
    now: (crowd) => crowd.friends.map((friend) => ({ busy: [friend], does: () => writes(friend, crowd) })),
  },
  'looks at a chat': atScreen(4, () => true, looks),
  'looks away': atScreen(3, isLooking, looksAway),
  'leaves the chat': atScreen(2, ({ openId }) => openId !== undefined, leaves),
  'marks all as read': atScreen(1, isOnline, readsAll),
  mutes: atScreen(2, isOnline, ({ seat }, crowd, dice) => seat.tab.mutes(roomOf(crowd, dice), dice.pick(muteTerm.options))),
  unmutes: atScreen(2, isOnline, ({ seat }, crowd, dice) => seat.tab.unmutes(roomOf(crowd, dice))),
  blocks: atScreen(1, isOnline, ({ seat }, crowd, dice) => hides(seat.tab.blocks, crowd, dice)),
  unblocks: atScreen(2, isOnline, ({ seat }, crowd, dice) => seat.tab.unblocks(roomOf(crowd, dice))),
  'clears a chat': atScreen(1, isOnline, ({ seat }, crowd, dice) => hides(seat.tab.clears, crowd, dice)),
  'loses the connection': atScreen(3, isOnline, async ({ seat: { device } }) => {
    device.isOnline = false
    device.browser.goesOffline()
  }),
  'is connected again': atScreen(
    3,
    (screen) => !isOnline(screen),
    async ({ seat }) => connect(seat.device),
  ),
  reloads: atScreen(1, isOnline, reloads),
}

async function writes(friend: Friend, crowd: Crowd): Promise<void> {
  crowd.written += 1
  await friend.program.does(messagesApi.send, {
    ...{ chatRoomId: friend.chatRoomId, content: `number ${crowd.written}`, messageType: 'text' },
  })
}

async function looks(screen: Screen, crowd: Crowd, dice: Dice): Promise<void> {
  const chatRoomId = roomOf(crowd, dice)
  // Whoever comes back to a tab sees the chat that is still open there before they open another one.
  if (screen.openId) crowd.touched.add(screen.openId)
  crowd.touched.add(chatRoomId)
  Object.assign(screen, { openId: chatRoomId })
  Object.assign(screen.seat, { isLooking: true })
  screen.seat.tab.setLookedAt(true)
  await screen.seat.tab.opensRoom(chatRoomId)
}

/** Blocks or clears: what was unread counts no more, and is still not read. */
async function hides(act: (chatRoomId: string) => Promise<void>, crowd: Crowd, dice: Dice): Promise<void> {
  const chatRoomId = roomOf(crowd, dice)
  crowd.hidden.add(chatRoomId)
  await act(chatRoomId)
}

async function looksAway({ seat }: Screen): Promise<void> {
  seat.tab.setLookedAt(false)
  seat.isLooking = false
}

async function leaves(screen: Screen): Promise<void> {
  screen.seat.tab.leavesRoom()
  screen.openId = undefined
  await looksAway(screen)
}

async function readsAll({ seat }: Screen, crowd: Crowd): Promise<void> {
  for (const { chatRoomId } of crowd.friends) crowd.touched.add(chatRoomId)
  await seat.tab.readsAll()
}

async function reloads(screen: Screen, { friends }: Crowd): Promise<void> {
  const { seat } = screen
  seat.tab.close()
  screen.openId = undefined
  Object.assign(seat, { isLooking: false, tab: await seat.device.browser.opensTab() })
  await seat.tab.starts()
  // What is done next is done to a chat of the list.
  await expect.poll(async () => (await seat.tab.state()).rows.length, PATIENCE).toBe(friends.length)
}

/** What the messages and the marks say, counted one by one. */
interface Truth {
  unread: number
  isMuted: boolean
  readSeq: number
}

async function truthOf({ server, alice, friends, hidden }: Crowd): Promise<Map<string, Truth>> {
  // Up to `uncounted_seq` a block or a clear has ended the count; what came behind it and is withheld never counts.
  const rows = await server.sql(
    `select p.chat_room_id, p.read_seq, p.muted_until > now() as is_muted, p.unread_count, p.uncounted_seq,
       (select count(*) from messages m where m.room = (select number from chat_rooms where id = p.chat_room_id) and m.sender_id <> p.user_id
         and m.seq > greatest(p.read_seq, p.uncounted_seq) and m.seq > p.cleared_seq and not m.seq <@ p.withheld) as unread,
       (select count(*) from notifications n where n.chat_room_id = p.chat_room_id and n.user_id = p.user_id and not n.is_read) as noted
     from chat_participants p where p.user_id = $1`,
    [alice.userId],
  )
  expect(rows).toHaveLength(friends.length)
  return new Map(
    rows.map((row) => {
      const unread = Number(row['unread'])
      const room = String(row['chat_room_id'])
      expect([Number(row['unread_count']), Number(row['noted'])], `the counter and the view of ${room}`).toEqual([unread, unread])
      if (!hidden.has(room)) expect(row['uncounted_seq'], `${room} was neither blocked nor cleared`).toBe(0)
      return [room, { unread, isMuted: row['is_muted'] === true, readSeq: Number(row['read_seq']) }]
    }),
  )
}

/** Connects everybody, waits until each badge of each browser says what the messages say, and checks that nothing was read unseen. */
export async function settleCrowd(crowd: Crowd): Promise<void> {
  for (const { seat } of crowd.screens) connect(seat.device)
  await expect.poll(() => unsettled(crowd), PATIENCE).toEqual([])
  // What was looked at without a connection is told some seconds after it is back, also of chats that count nothing.
  await Promise.all(crowd.screens.map(({ seat }) => seat.tab.tellsMarks()))
  const truth = await truthOf(crowd)
  for (const [room, { readSeq }] of truth) {
    if (!crowd.touched.has(room)) expect(readSeq, `${room} was not looked at`).toBe(crowd.readSeqs.get(room) ?? 0)
    crowd.readSeqs.set(room, readSeq)
  }
  crowd.touched = new Set(crowd.screens.flatMap(({ seat, openId }) => (seat.isLooking && openId ? [openId] : [])))
  for (const { name, seat } of crowd.screens) expect(seat.tab.complaints, name).toEqual([])
}

async function unsettled(crowd: Crowd): Promise<string[]> {
  const truth = await truthOf(crowd)
  const bell = [...truth.values()].reduce((sum, { unread, isMuted }) => sum + (isMuted ? 0 : unread), 0)
  const waits = await Promise.all(
    crowd.screens.map(async ({ name, seat, openId }) => {
      const { isLive, rows, unreadTotal } = await seat.tab.state()
      const isCountRight = isLive && (await seat.tab.isCountRight())
      const wrong = rows.filter(({ id, unreadCount, mutedUntil }) => {
        const { unread, isMuted } = truth.get(id) ?? { unread: -1, isMuted: false }
        return unreadCount !== unread || (mutedUntil !== null) !== isMuted
      })
      const isUnseen = seat.isLooking && openId !== undefined && truth.get(openId)?.unread !== 0
      return [
        ...(isLive ? [] : [`${name} is not connected`]),
        ...(rows.length === truth.size ? [] : [`${name} lists ${rows.length} chats`]),
        ...wrong.map(({ id, unreadCount, mutedUntil }) => `${name} shows ${unreadCount}, ${mutedUntil} at ${id}`),
        ...(unreadTotal === bell ? [] : [`${name} has ${unreadTotal} in its bell, not ${bell}`]),
        ...(isCountRight ? [] : [`the server tells ${name} another number`]),
        ...(isUnseen ? [`${name} looks and has not read`] : []),
      ]
    }),
  )
  return waits.flat()
}
