import { muteRoom, unmuteRoom } from '../client/alerts/notifications/mute.ts'
import { keepSession } from '../client/app/session.ts'
import { clearChat } from '../client/chat/messages/clear.ts'
import { hide } from '../client/chat/messages/deleteForMe.ts'
import { beginEdit, editIn } from '../client/chat/messages/edits.ts'
import { forwardTo, openForwarded } from '../client/chat/messages/forward.ts'
import { markSeen } from '../client/chat/messages/markSeen.ts'
import { hideRoom, showRoom } from '../client/chat/messages/messages.ts'
import { togglePin } from '../client/chat/messages/pins.ts'
import { quoteOf } from '../client/chat/messages/quotes.ts'
import { react } from '../client/chat/messages/reactions.ts'
import { sendText } from '../client/chat/messages/send.ts'
import { deleteForEveryone, sendEdit } from '../client/chat/messages/sendEdits.ts'
import { setMark } from '../client/chat/messages/setMark.ts'
import { toggleStars } from '../client/chat/messages/setStars.ts'
import { messagesStore, type ShownMessage } from '../client/chat/messages/store.ts'
import { takeBack } from '../client/chat/messages/unsentMessage.ts'
import { setTimer } from '../client/chat/timers/setTimer.ts'
import type { Env } from '../client/env.ts'
import { closeAccount, start } from '../client/me/account/account.ts'
import { accountStore } from '../client/me/account/accountState.ts'
import { addKit, setPasswordOpens, switchHistory } from '../client/me/account/keys.ts'
import { proveAgain } from '../client/me/account/proveSession.ts'
import { removeBrowser, reopenRooms } from '../client/me/devices/removeBrowser.ts'
import { ownPrivacy, savePrivacy } from '../client/me/privacy/privacy.ts'
import { openWith } from '../client/me/signin/recover.ts'
import { endSignUp, enrolThisBrowser, signIn, signUp } from '../client/me/signin/signin.ts'
import { ApiError, createApi } from '../client/net/api.ts'
import { createSocket } from '../client/net/socket.ts'
import { connectionStore } from '../client/net/status.ts'
import { blockContact, unblockContact } from '../client/people/contacts/block.ts'
import { addContact } from '../client/people/contacts/contacts.ts'
import { acceptContact } from '../client/people/contacts/requests.ts'
import { marksStore } from '../client/rooms/list/marks.ts'
import { markAllRead } from '../client/rooms/list/readMarks.ts'
import { isDirect, isFollowed, markOf, personIdOfDirect } from '../client/rooms/list/room.ts'
import { type DirectRow, isNews, type RoomRow, roomById, roomsStore } from '../client/rooms/list/roomList.ts'
import { loadOlderPage } from '../client/rooms/log/olderPage.ts'
import { presenceOf } from '../client/rooms/presence/presence.ts'
import { personById } from '../client/rooms/trust/people.ts'
import { type Answer, type Ask, openCrypto, type StoredMessage } from '../client/worker/crypto.ts'
import type { Mark } from '../contract/chat/content.ts'
import type { MuteTerm } from '../contract/chat/notifications.ts'
import { notesRoomId } from '../contract/ground/shapes.ts'
import type { Privacy } from '../contract/people/privacy.ts'
import '../client/worker/worker.ts'
import { onceVerbs } from './onceVerbs.ts'
import { readingVerbs } from './reading.ts'
import { isUnreadRight, tellsMarks } from './unread.ts'

/**
 * A headless page of the product: the unchanged client with its stores, session and worker. `browser.ts` bundles this file and
 * runs it once per page, with a simulated browser in place of the globals.
 */

/** The worker global as `client/worker/answering.ts` sees it. */
declare const self: { onmessage: (event: { data: Ask }) => void; postMessage: (answer: Answer) => void }

/** Errors that a person would see or that a bug report would contain. */
const complaints: unknown[] = []
const report = (error: unknown): void => void complaints.push(error)

export function openPage({ fetch, socketUrl, Socket }: Wires) {
  const { worker, stop } = workerHere()
  const env: Env = {
    api: createApi({ fetch, onSignedOut, prove: () => proveAgain(env) }),
    socket: createSocket({ url: () => socketUrl, prove: () => proveAgain(env), WebSocket: Socket }),
    crypto: openCrypto(() => worker),
    clock: () => new Date(),
  }
  function onSignedOut() {
    if (accountStore.getState().phase === 'signed_in') closeAccount(env, 'Your session has ended. Sign in again.').catch(report)
  }
  keepSession(env, report)
  messagesStore.subscribe(() => lookAgain(env))
  roomsStore.subscribe(() => {
    followRoom(env).catch(report)
    lookAgain(env)
  })
  globalThis.addEventListener('focus', () => lookAgain(env))
  return {
    ...verbs(env, fetch),
    state: () => state(env),
    history: (after: number) => history(env, after),
    pinned: () => pinned(env),
    complaints,
    stop,
  }
}

export interface Wires {
  fetch: (path: string, init: RequestInit) => Promise<Response>
  socketUrl: string
  Socket: typeof WebSocket
}

/** The acts of a person at this page. */
const verbs = (env: Env, fetch: Wires['fetch']) => ({
  starts: () => start(env, () => undefined),
  async signsUp({ username, password }: Account) {
    await signUp(env, { username, displayName: username, password, confirmPassword: password })
    await endSignUp(env)
  },
  /** Signs in at a browser that does not belong to the account yet. */
  async joins({ username, password }: Account) {
    const { step } = await signIn(env, { username, password })
    if (step !== 'confirm_devices') throw new Error(`The sign-in stands at ${step}`)
    await enrolThisBrowser(env)
  },
  /** Makes the account require a kit: the password alone opens no keys afterwards. Returns the words of the kit. */
  async needsKit(password: string) {
    const { words } = await env.crypto.newKit()
    await addKit(env, { kind: 'password', password })
    await setPasswordOpens(env, { kind: 'kit', words: words.join(' ') }, { isOn: false })
    return words.join(' ')
  },
  /** Signs in with the kit at a browser that does not belong to the account yet, where the password opens no keys. */
  async joinsByKit({ username, password, words }: Account & { words: string }) {
    await signIn(env, { username, password })
    const { step } = await openWith(env, { kind: 'kit', words })
    if (step !== 'confirm_devices') throw new Error(`The sign-in stands at ${step}`)
    await enrolThisBrowser(env)
  },
  adds: (username: string) => addContact(env, username),
  accepts: () => acceptContact(env, directNamed(theRoom().id)),
  /** Opens a room; the only one if none is named. */
  async opensRoom(id?: string) {
    openId = id ?? theRoom().id
    await followRoom(env)
  },
  leavesRoom() {
    openId = undefined
    hideRoom()
  },
  mutes: (id: string, term: MuteTerm) => muteRoom(env, roomNamed(id), term),
  unmutes: (id: string) => unmuteRoom(env, roomNamed(id)),
  blocks: (id: string) => blockContact(env, directNamed(id)),
  unblocks: (id: string) => unblockContact(env, directNamed(id)),
  clears: (id: string) => clearChat(env, directNamed(id)),
  switches: (change: Partial<Privacy>) => savePrivacy(env, change),
  /** Returns what this page shows of the other person of each room: presence, the read mark, and whether they are typing. */
  seen: () => [...roomsStore.getState().rooms.values()].map((room) => ({ id: room.id, ...seenIn(env, room) })),
  isCountRight: () => isUnreadRight(env),
  tellsMarks,
  readsAll: () => markAllRead(env, [...roomsStore.getState().rooms.values()].filter(isNews)),
  says: (text: string) => sendText(env, theRoom(), text),
  replies: (seq: number, text: string) => sendText(env, theRoom(), text, undefined, quoteOf(shownAt(seq))),
  ...readingVerbs(env, theRoom),
  ...onceVerbs(env, { fetch, theRoom, shownAt }),
  forwards: async (seq: number) => forwardTo(env, theRoom(), await openForwarded(env, [shownAt(seq)]), () => report('Upgrade')),
  pins: (seq: number) => togglePin(env, theRoom(), shownAt(seq)),
  /** Returns false where the message is sent, or may be. */
  async takesBack(text: string) {
    const rows = await env.crypto.outbox(theRoom().id)
    const row = rows.find(({ content }) => content?.type === 'text' && content.text === text)
    return row !== undefined && (await takeBack(env, theRoom(), row.id)) === text
  },
  async edits(seq: number, text: string) {
    const message = shownAt(seq)
    await beginEdit(env, theRoom(), message)
    const edit = editIn(theRoom().id) ?? (await env.crypto.readEdit(theRoom().id))
    if (edit) await sendEdit(env, theRoom(), { ...edit, text })
  },
  reacts: (seq: number, emoji: string) => react(env, theRoom(), shownAt(seq), emoji),
  deletes: (seq: number) => deleteForEveryone(env, theRoom(), shownAt(seq)),
  async hides(seq: number) {
    const message = shownAt(seq)
    await hide(env, theRoom(), [message])
    return message.id
  },
  stars: (seq: number) => toggleStars(env, theRoom().id, [shownAt(seq)]),
  setsTimer: (seconds: number) => setTimer(env, theRoom(), seconds),
  marks: (is: Mark['is'], on: boolean) => setMark(env, theRoom(), is, on),
  async removes(deviceId: string, password: string) {
    await removeBrowser(env, { kind: 'password', password }, deviceId)
    await reopenRooms(env)
  },
  switchesHistory: (isOn: boolean, password: string) => switchHistory(env, { kind: 'password', password }, isOn),
})

interface Account {
  username: string
  password: string
}

/** Returns the page's state: what it shows, and how far it has synchronized. */
async function state(env: Env) {
  const { phase, user, notice } = accountStore.getState()
  const { rooms, unreadTotal } = roomsStore.getState()
  const row = [...rooms.values()].find(isDirect)
  const isOpen = phase === 'signed_in' && row !== undefined
  const record = isOpen ? await env.crypto.roomRecord(row.id) : undefined
  return {
    phase,
    user,
    notice,
    isLive: connectionStore.getState().phase === 'open',
    row,
    rows: [...rooms.values()],
    readSeq: row ? markOf(row, row.ownId).readSeq : 0,
    unreadTotal,
    view: messagesStore.getState().open,
    deviceId: phase === 'signed_in' ? (await env.crypto.ownStanding()).deviceId : null,
    cursor: record?.cursor ?? 0,
    standing: record?.standing,
    outbox: isOpen ? (await Promise.all([row.id, notesRoomId(row.ownId)].map(env.crypto.outbox))).flat().length : 0,
    marks: marksStore.getState().marks,
  }
}

function seenIn({ clock }: Env, room: RoomRow) {
  const peerId = personIdOfDirect(room) ?? ''
  const person = personById(peerId)
  const isConnected = connectionStore.getState().phase === 'open'
  const presence = person && presenceOf({ room, person, isConnected, shown: ownPrivacy(), now: clock() })
  return { presence, readSeq: markOf(room, peerId).readSeq, isTyping: room.isTyping }
}

/** Returns the chat after a seq. It fetches missing messages like a person who scrolls up. */
async function history(env: Env, after: number): Promise<StoredMessage[]> {
  const room = theRoom()
  const page = () => env.crypto.page({ chatRoomId: room.id, after, limit: Number.MAX_SAFE_INTEGER })
  for (let { from } = await page(); from > after + 1 && (await loadOlderPage(env, room, from)); ) from = (await page()).from
  return (await page()).messages
}

/** Returns the ids of the pinned messages, the last pinned first. */
async function pinned(env: Env): Promise<string[]> {
  const { pins = [] } = await env.crypto.page({ chatRoomId: theRoom().id, limit: 1 })
  return pins.map(({ id }) => id)
}

function shownAt(seq: number): ShownMessage {
  const message = messagesStore.getState().open?.messages.find((one) => one.seq === seq)
  if (!message) throw new Error(`The message at ${seq} is not shown`)
  return message
}

/** Returns the only chat in these walks. Throws if there is none. */
function theRoom(): RoomRow {
  const room = [...roomsStore.getState().rooms.values()].find(isDirect)
  if (!room) throw new Error('There is no room')
  return room
}

function directNamed(id: string): DirectRow {
  const room = roomNamed(id)
  if (!isDirect(room)) throw new Error(`The room ${id} is not direct`)
  return room
}

function roomNamed(id: string): RoomRow {
  const room = roomById(id)
  if (!room) throw new Error(`The room ${id} is not listed`)
  return room
}

/** The room on screen. */
let openId: string | undefined

/** Shows the room like the panel: only after the request is accepted. */
async function followRoom(env: Env): Promise<void> {
  const room = openId === undefined ? undefined : roomById(openId)
  if (room && isFollowed(room) && messagesStore.getState().open?.chatRoomId !== room.id) await showRoom(env, room)
}

let lastSeen = ''

/** Marks shown messages as seen like the screen: once per new message and per change of the counter. */
function lookAgain(env: Env): void {
  const { open } = messagesStore.getState()
  const room = open ? roomById(open.chatRoomId) : undefined
  const newest = open?.status === 'ready' ? open.messages.findLast(({ isMine }) => !isMine)?.id : undefined
  const look = `${newest} ${room?.unreadCount} ${open?.isOpening} ${document.hasFocus()}`
  if (!room || !newest || look === lastSeen) return
  lastSeen = look
  markSeen(env, room).catch((error: unknown) => {
    if (!(error instanceof ApiError)) report(error)
  })
}

/** Runs the worker in this thread. Messages are cloned, as between threads. `stop` discards all later messages. */
function workerHere(): { worker: Worker; stop: () => void } {
  let isStopped = false
  const worker: Pick<Worker, 'onmessage' | 'postMessage'> = {
    onmessage: null,
    postMessage(ask: Ask) {
      const data = structuredClone(ask)
      queueMicrotask(() => isStopped || self.onmessage({ data }))
    },
  }
  self.postMessage = (answer) => {
    const event = { data: structuredClone(answer) } as MessageEvent<Answer>
    queueMicrotask(() => isStopped || worker.onmessage?.call(worker as Worker, event))
  }
  const stop = () => {
    isStopped = true
  }
  return { worker: worker as Worker, stop }
}
