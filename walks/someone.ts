import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { expect } from 'vitest'
import { checkDevice, syncAll } from '../client/app/sync.ts'
import {
  changeChatPassword,
  giveUpHistory,
  removeChatPassword,
  setChatPassword,
  unlockChat,
} from '../client/chat/chatlocks/chatlocks.ts'
import { lockChat } from '../client/chat/chatlocks/relock.ts'
import { clearChat } from '../client/chat/messages/clear.ts'
import { markSeen } from '../client/chat/messages/markSeen.ts'
import { loadOlder, resetMessages, showRoom } from '../client/chat/messages/messages.ts'
import { sendText } from '../client/chat/messages/send.ts'
import { viewOf } from '../client/chat/messages/store.ts'
import type { Env } from '../client/env.ts'
import { accountStore } from '../client/me/account/accountState.ts'
import { stretch } from '../client/me/account/keys.ts'
import { openForOrder } from '../client/me/account/signedOrder.ts'
import { confirmByPassword } from '../client/me/account/stepup.ts'
import { resetDevices } from '../client/me/devices/deviceList.ts'
import { recoverAccount, signInByKit } from '../client/me/signin/recover.ts'
import { endSignUp, enrolThisBrowser, signIn, signUp } from '../client/me/signin/signin.ts'
import { type Api, ApiError } from '../client/net/api.ts'
import { blockContact, unblockContact } from '../client/people/contacts/block.ts'
import { addContact } from '../client/people/contacts/contacts.ts'
import { acceptContact } from '../client/people/contacts/requests.ts'
import { marksTold } from '../client/rooms/list/readMarks.ts'
import { isDirect } from '../client/rooms/list/room.ts'
import { type DirectRow, type RoomRow, resetRooms, roomsStore } from '../client/rooms/list/roomList.ts'
import { personById, resetPeople } from '../client/rooms/trust/people.ts'
import { at } from '../client/testing/people.ts'
import { createCore } from '../client/worker/core.ts'
import type { Endpoint } from '../contract/ground/endpoint.ts'
import { isUnreadRight } from './unread.ts'

/** Makes the wire of one browser of an account. `deviceId` returns the browser's device id, '' before it has one. */
export type OpenWire = (username: string, deviceId: () => string) => Api

/** A message as the screen shows it: its text, and the status of an own message. */
export type Shown = [text: string, status: string | null]

/** A person at one browser, who uses the product's verbs. People act in turn, and each finds the page as after a reload. */
export interface Someone {
  username: string
  password: string
  env: Env
  /** The disk that holds its vault. */
  computer: IDBFactory
  /** Loads the page, and does what a person can do who is signed in there. */
  does<T>(work: (env: Env) => Promise<T>): Promise<T>
  /** Opens the room with the other, and returns it. */
  opens(other: Someone): Promise<RoomRow>
  adds(other: Someone): Promise<void>
  accepts(other: Someone): Promise<void>
  blocks(other: Someone): Promise<void>
  unblocks(other: Someone): Promise<void>
  clears(other: Someone): Promise<void>
  /** Gives the chat a password, which locks it. */
  setsPassword(other: Someone, password: string): Promise<void>
  /** Returns false if the password is wrong. */
  unlocks(other: Someone, password: string): Promise<boolean>
  locks(other: Someone): Promise<void>
  changesPassword(other: Someone, password: string): Promise<void>
  removesPassword(other: Someone): Promise<void>
  /** Opens the account's keys by its password, and gives up the history of a chat whose password is forgotten. */
  givesUp(other: Someone): Promise<void>
  says(other: Someone, text: string): Promise<void>
  /** Loads the page: it fetches what it missed and sends what waits. */
  comesUp(): Promise<void>
  /** Opens the room and returns what it shows. */
  looksAt(other: Someone): Promise<Shown[]>
  /** Returns the rows of the list (username, state, unread count) and the total that the title shows. */
  list(): Promise<{ rows: [username: string, state: string | undefined, unread: number][]; total: number }>
  /** Signs in to the same account at another computer. */
  another(): Promise<Someone>
  /** Recovers the account at another computer by the words of its kit, with a new password, and removes all other browsers. */
  recovers(words: string, password: string): Promise<Someone>
  goesOffline(): void
  comesBack(): void
  /** The next call of this endpoint takes effect, but its response is lost. */
  losesAnswer(endpoint: Endpoint): void
}

const nothing = () => undefined
const passwordOf = (username: string) => `the password of ${username}`
const unanswered = () => new ApiError(0, 'offline', 'You are offline')

/** The person whose page the stores hold. */
let inFront: Someone | undefined

/** Makes an account. */
export async function newSomeone(open: OpenWire, username: string): Promise<Someone> {
  return await atBrowser(open, username, async (env) => {
    const password = passwordOf(username)
    await signUp(env, { username, displayName: username, password, confirmPassword: password })
    await endSignUp(env)
  })
}

async function atBrowser(
  open: OpenWire,
  username: string,
  goesIn: (env: Env) => Promise<void>,
  password = passwordOf(username),
): Promise<Someone> {
  const core = createCore()
  const computer = new IDBFactory()
  let deviceId = ''
  let isOnline = true
  let lost: Endpoint | undefined
  const wire = open(username, () => deviceId) as (endpoint: Endpoint, input: unknown) => Promise<unknown>
  const api = async (endpoint: Endpoint, input: unknown) => {
    if (!isOnline) throw unanswered()
    const answer = await wire(endpoint, input)
    if (lost !== endpoint) return answer
    lost = undefined
    throw unanswered()
  }
  const socket = {
    open: nothing,
    close: nothing,
    reconnect: nothing,
    isAlive: () => false,
    retry: nothing,
    steady: nothing,
    heardAt: () => 0,
    send: () => false,
    on: () => nothing,
  }
  const env: Env = { api: api as Api, crypto: core, socket, clock: () => new Date() }
  // Each browser needs its own database factory, because two browsers of an account name their vaults alike.
  await at(computer, () => goesIn(env))
  deviceId = (await core.ownStanding()).deviceId
  const account = accountStore.getState()

  async function comesUp(): Promise<void> {
    if (inFront !== someone) {
      await marksTold()
      for (const reset of [resetMessages, resetRooms, resetPeople, resetDevices]) reset()
      accountStore.setState(account)
      inFront = someone
    }
    try {
      await checkDevice(env, account.user?.id ?? '')
      await syncAll(env)
    } catch (error) {
      // Without a network the page continues with what it has.
      if (!(error instanceof ApiError) || error.status !== 0) throw error
    }
  }

  async function roomWith(other: Someone): Promise<DirectRow> {
    await comesUp()
    const room = [...roomsStore.getState().rooms.values()].filter(isDirect).find((row) => usernameIn(row) === other.username)
    if (!room) throw new Error(`${other.username} is not on the list of ${username}`)
    return room
  }

  async function opens(other: Someone): Promise<RoomRow> {
    const room = await roomWith(other)
    await showRoom(env, room)
    return room
  }

  const someone: Someone = {
    username,
    password,
    env,
    computer,
    opens,
    comesUp,
    async does(work) {
      await comesUp()
      return await work(env)
    },
    async adds(other) {
      await comesUp()
      await addContact(env, other.username)
    },
    accepts: async (other) => acceptContact(env, await roomWith(other)),
    blocks: async (other) => blockContact(env, await roomWith(other)),
    unblocks: async (other) => unblockContact(env, await roomWith(other)),
    clears: async (other) => clearChat(env, await roomWith(other)),
    async setsPassword(other, password) {
      const room = await roomWith(other)
      await confirmByPassword(env, passwordOf(username))
      await setChatPassword(env, room, password)
    },
    unlocks: async (other, password) => (await unlockChat(env, await roomWith(other), password)).valid,
    locks: async (other) => lockChat(env, await roomWith(other)),
    changesPassword: async (other, password) => changeChatPassword(env, await roomWith(other), password),
    removesPassword: async (other) => removeChatPassword(env, await roomWith(other)),
    async givesUp(other) {
      const room = await roomWith(other)
      await stretch(env, 'stretch', username, password)
      await openForOrder(env, undefined)
      await giveUpHistory(env, room)
      await env.crypto.forgetPassword()
    },
    async says(other, text) {
      await sendText(env, await opens(other), text)
    },
    async looksAt(other) {
      const room = await opens(other)
      while (viewOf(room)?.hasOlder) await loadOlder(env, room)
      await markSeen(env, room)
      return (viewOf(room)?.messages ?? []).map(({ body, status }) => ['text' in body ? body.text : body.reason, status])
    },
    async list() {
      await comesUp()
      expect(await isUnreadRight(env)).toBe(true)
      const { rooms, unreadTotal } = roomsStore.getState()
      return { rows: [...rooms.values()].map((row) => [usernameIn(row), row.direct?.state, row.unreadCount]), total: unreadTotal }
    },
    another: () =>
      atBrowser(open, username, async (next) => {
        const { step } = await signIn(next, { username, password })
        if (step !== 'confirm_devices') throw new Error(`The sign-in stands at ${step}`)
        await enrolThisBrowser(next)
      }),
    recovers: (words, newPassword) =>
      atBrowser(
        open,
        username,
        async (next) => {
          const found = await signInByKit(next, { username, words })
          if (found.step !== 'recover') throw new Error(`The recovery stands at ${found.step}`)
          const how = { removesOthers: true, startsBook: found.isBookLost }
          await recoverAccount(next, { password: newPassword, confirmPassword: newPassword, ...how })
        },
        newPassword,
      ),
    goesOffline() {
      isOnline = false
    },
    comesBack() {
      isOnline = true
    },
    losesAnswer(endpoint) {
      lost = endpoint
    },
  }
  return someone
}

const usernameIn = ({ ownId, memberIds }: RoomRow): string =>
  personById(memberIds.find((id) => id !== ownId) ?? '')?.username ?? ''
