import { directOf } from './direct.ts'
import 'fake-indexeddb/auto'
import { randomUUID } from 'node:crypto'
import { IDBFactory } from 'fake-indexeddb'
import { accountApi } from '../../contract/account/account.ts'
import type { Contact } from '../../contract/chat/contacts.ts'
import { contentWords } from '../../contract/chat/kinds/kinds.ts'
import { flushRoom, waitOf } from '../chat/messages/outbox.ts'
import type { Env } from '../env.ts'
import { accountStore } from '../me/account/accountState.ts'
import { endSignUp, enrolThisBrowser, signIn, signUp } from '../me/signin/signin.ts'
import type { Room } from '../rooms/list/room.ts'
import type { DirectRow } from '../rooms/list/roomList.ts'
import { catchUp } from '../rooms/log/catchUp.ts'
import { loadOlderPage } from '../rooms/log/olderPage.ts'
import { syncBook } from '../rooms/trust/book.ts'
import { refreshOwnDevices } from '../rooms/trust/ownDevices.ts'
import { type Core, createCore } from '../worker/core.ts'
import type { OutboxRow, StoredBody, StoredMessage } from '../worker/crypto.ts'
import { openBrowser } from './browser.ts'
import type { Wire } from './wire.ts'

/** One browser of one person, with the real verbs and the real cryptography; only the network is replaced. */
export interface TestPerson {
  userId: string
  username: string
  core: Core
  env: Env
  deviceId: string
  /** The disk that holds its vault. */
  computer: IDBFactory
  /** The unlock data that the server returns to a session of this device. */
  unlock: { deviceId: string; unlockSecret: string }
  /** Returns the other's row in this account's contact list, as the server shows it now. */
  contact(other: { userId: string }): Contact
  /** Returns the direct room with the other, from that row. */
  room(other: { userId: string }): DirectRow
  /**
   * Writes a message and sends the outbox, after creating or entering the room if needed. Throws the reason if a message was not
   * sent.
   */
  says(other: { userId: string }, text: string): Promise<void>
  /** Writes without sending. Returns the row of the outbox. */
  keeps(other: { userId: string }, text: string): Promise<OutboxRow>
  /** Sends the unsent messages of a room. Throws the reason if one was not sent. */
  sends(room: Room): Promise<void>
  /** Reads the log to its end and returns the messages that the screen would show. */
  reads(other: { userId: string }): Promise<StoredMessage[]>
  /** Does the same and returns only the texts. */
  hears(other: { userId: string }): Promise<string[]>
  older(other: { userId: string }): Promise<void>
  /** Returns the ids of the people whose safety number this browser shows as compared. */
  verified(): Promise<string[]>
  /** Adds another browser to the account by the password. */
  newBrowser(): Promise<TestPerson>
  /** Adds another browser on another computer; both stay open. */
  newComputer(): Promise<TestPerson>
  /**
   * Opens another tab of this browser: the same vault with another worker. A new `wire` gives the tab a server without its data.
   */
  newTab(wire?: Wire): Promise<TestPerson>
}

let names = 0

/** The origin of test browsers. */
const ORIGIN = () => 'https://conclave.example'

/** Returns the password of a test user. */
export const passwordOf = (username: string): string => `password of ${username}`

/** Creates an account with one browser. */
export function newPerson(wire: Wire): Promise<TestPerson> {
  names += 1
  const username = `person_${names}`
  return enters(wire, { userId: randomUUID(), username, computer: indexedDB }, async (env) => {
    const password = passwordOf(username)
    await signUp(env, { username, displayName: username, password, confirmPassword: password })
    await endSignUp(env)
  })
}

/** Opens a page at a computer, where the product's verbs make the keys. The page of the test itself stays as it was. */
async function enters(
  wire: Wire,
  who: Pick<Made, 'userId' | 'username' | 'computer'>,
  work: (env: Env) => Promise<void>,
): Promise<TestPerson> {
  const core = createCore(ORIGIN)
  const page = accountStore.getState()
  const closeBrowser = openBrowser()
  try {
    await at(who.computer, () => work(envOf(wire, who.userId, core, () => '')))
  } finally {
    closeBrowser()
    accountStore.setState(page)
  }
  const unlock = wire.accounts.get(who.userId)?.unlock
  if (!unlock) throw new Error('The account is not on the wire')
  return personAt(wire, { ...who, core, unlock })
}

const nothing = () => undefined

type Made = Pick<TestPerson, 'userId' | 'username' | 'core' | 'unlock' | 'computer'>

const envOf = (wire: Wire, userId: string, core: Core, deviceId: () => string): Env => ({
  api: wire.api(userId, deviceId),
  socket: {
    open: nothing,
    close: nothing,
    reconnect: nothing,
    isAlive: () => false,
    retry: nothing,
    steady: nothing,
    heardAt: () => 0,
    send: () => false,
    on: () => nothing,
  },
  crypto: core,
  clock: () => new Date(),
})

/** Signs the page in as this person. Verbs that ask who is signed in read it there. */
export async function signPageIn({ env }: TestPerson): Promise<void> {
  accountStore.setState({ phase: 'signed_in', user: await env.api(accountApi.user, {}), notice: null })
}

/**
 * Runs `work` with this computer's disk. Vaults of one account have the same name, so each of its browsers needs its own
 * computer.
 */
export async function at<T>(computer: IDBFactory, work: () => Promise<T>): Promise<T> {
  const before = globalThis.indexedDB
  globalThis.indexedDB = computer
  try {
    return await work()
  } finally {
    globalThis.indexedDB = before
  }
}

/** Nothing is known of a person whose key this browser has not seen. */
function withoutKey(error: unknown): undefined {
  // By name, because a client that is loaded twice has the class twice.
  if (!(error instanceof Error && error.name === 'CryptoFailure' && 'code' in error && error.code === 'no_key')) throw error
}

/** Returns a browser whose vault already exists. */
export function personAt(wire: Wire, { userId, username, core, unlock, computer }: Made): TestPerson {
  const { deviceId } = unlock
  const env = envOf(wire, userId, core, () => deviceId)
  const contact = (other: { userId: string }) => wire.contact(userId, other.userId, deviceId)
  const room = (other: { userId: string }) => directOf(contact(other)).room

  async function reads(other: { userId: string }) {
    await refreshOwnDevices(env)
    await syncBook(env)
    await catchUp(env, room(other))
    const { messages } = await core.page({ chatRoomId: room(other).id, limit: 500 })
    return messages
  }

  const keeps = (other: { userId: string }, text: string) =>
    core.keepInOutbox({
      id: randomUUID(),
      chatRoomId: room(other).id,
      content: { type: 'text', text },
      replyToId: null,
      sentAt: new Date().toISOString(),
    })

  async function sends(to: Room) {
    await flushRoom(env, to, async () => undefined)
    const [left] = await core.outbox(to.id)
    if (left) throw new Error(left.failure ?? waitOf(to.id)?.reason ?? 'The message is kept')
  }

  const another = (itsComputer: IDBFactory): Promise<TestPerson> =>
    enters(wire, { userId, username, computer: itsComputer }, async (page) => {
      const { step } = await signIn(page, { username, password: passwordOf(username) })
      if (step !== 'confirm_devices') throw new Error(`The sign-in stands at ${step}`)
      await enrolThisBrowser(page, 'Another browser')
    })

  return {
    userId,
    username,
    computer,
    core,
    env,
    deviceId,
    unlock,
    contact,
    room,
    reads,
    keeps,
    sends,
    async says(other, text) {
      await refreshOwnDevices(env)
      await keeps(other, text)
      await sends(room(other))
    },
    hears: async (other) => (await reads(other)).map(({ body }) => wordsOf(body)),
    async verified() {
      const ids = [...wire.accounts.keys()].filter((id) => id !== userId)
      const numbers = await Promise.all(ids.map((id) => core.safetyNumber({ userId: id }).catch(withoutKey)))
      return ids.filter((_, at) => numbers[at]?.isVerified)
    },
    older: async (other) => {
      const { from } = await core.page({ chatRoomId: room(other).id, limit: 1 })
      await loadOlderPage(env, room(other), from)
    },
    async newBrowser() {
      await core.close()
      return another(computer)
    },
    newComputer: () => another(new IDBFactory()),
    async newTab(on = wire) {
      const tab = createCore(ORIGIN)
      await at(computer, () => tab.open({ userId, username, unlock }))
      return personAt(on, { userId, username, core: tab, unlock, computer })
    },
  }
}

/** Returns the text that a bubble would show. */
export function wordsOf(body: StoredBody): string {
  if (body.kind === 'content') return contentWords(body.content)
  return body.kind === 'plain' || body.kind === 'notice'
    ? body.text
    : body.kind === 'unreadable'
      ? `unreadable: ${body.reason}`
      : body.kind
}
