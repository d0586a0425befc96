import { syncBook } from '../trust/book.ts'
import { refreshOwnDevices } from '../trust/own.ts'
import 'fake-indexeddb/auto'
import { randomBytes, randomUUID } from 'node:crypto'
import { IDBFactory } from 'fake-indexeddb'
import { toBase64 } from '../../contract/bytes.ts'
import type { Contact } from '../../contract/contacts.ts'
import { type Core, createCore } from '../crypto/core.ts'
import type { OutboxRow, StoredBody, StoredMessage } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { flushRoom, waitOf } from '../messages/outbox.ts'
import { roomOfContact } from '../rooms/contact.ts'
import type { RoomRow } from '../rooms/list.ts'
import { loadOlderPage } from '../rooms/older.ts'
import type { Room } from '../rooms/room.ts'
import { catchUp } from '../rooms/rooms.ts'
import { saltOf } from './state.ts'
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
  room(other: { userId: string }): RoomRow
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

const TEST_BROWSER = { name: 'Test browser', browser: 'Firefox', system: 'Linux' }

/** Returns the password of a test user. */
export const passwordOf = (username: string): string => `password of ${username}`

/** Creates an account with one browser. */
export async function newPerson(wire: Wire): Promise<TestPerson> {
  names += 1
  const username = `person_${names}`
  const userId = randomUUID()
  const core = createCore(ORIGIN)
  const { authSecret } = await core.stretch({ username, password: passwordOf(username), salt: saltOf(username) })
  const keys = await core.draftAccount({ deviceName: TEST_BROWSER, username })
  wire.register(userId, keys)
  Object.assign(wire.accounts.get(userId) ?? {}, { username, authSecret })
  const unlock = { deviceId: keys.deviceId, unlockSecret: toBase64(randomBytes(32)) }
  await core.keepKeys({ userId, username, unlockSecret: unlock.unlockSecret })
  await core.forgetPassword()
  return personAt(wire, { userId, username, core, unlock, computer: indexedDB })
}

const nothing = () => undefined

interface Made {
  userId: string
  username: string
  core: Core
  unlock: TestPerson['unlock']
  /** The disk that holds its vault. */
  computer: IDBFactory
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

/** Returns a browser whose vault already exists. */
export function personAt(wire: Wire, { userId, username, core, unlock, computer }: Made): TestPerson {
  const { deviceId } = unlock
  const env: Env = {
    api: wire.api(userId, () => deviceId),
    socket: { open: nothing, close: nothing, reconnect: nothing, retry: nothing, send: () => false, on: () => nothing },
    crypto: core,
    clock: () => new Date(),
  }
  const contact = (other: { userId: string }) => wire.contact(userId, other.userId)
  const room = (other: { userId: string }) => roomOfContact(contact(other)).room

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

  async function another(itsComputer: IDBFactory): Promise<TestPerson> {
    const next = createCore(ORIGIN)
    await next.stretch({ username, password: passwordOf(username), salt: saltOf(username) })
    const account = wire.accounts.get(userId)
    if (!account) throw new Error('The account is not on the wire')
    await next.reviewAccount({ keyring: account.keys.keyring, manifest: account.keys.manifest })
    const keys = await next.draftDevice({ deviceName: { ...TEST_BROWSER, name: 'Another browser' }, username })
    wire.register(userId, keys)
    const its = { deviceId: keys.deviceId, unlockSecret: toBase64(randomBytes(32)) }
    await at(itsComputer, () => next.keepKeys({ userId, username, unlockSecret: its.unlockSecret }))
    await next.forgetPassword()
    return personAt(wire, { userId, username, core: next, unlock: its, computer: itsComputer })
  }
}

/** Returns the text that a bubble would show. */
export function wordsOf(body: StoredBody): string {
  if (body.kind === 'content') return body.content.text
  return body.kind === 'plain' || body.kind === 'notice'
    ? body.text
    : body.kind === 'unreadable'
      ? `unreadable: ${body.reason}`
      : body.kind
}

/** Copies all that a browser stores for an account, like a backup of its profile. Returns how to restore it. */
export async function profileCopy(userId: string): Promise<() => Promise<void>> {
  const database = await openRaw(userId)
  const names = [...database.objectStoreNames]
  const copy = new Map<string, [IDBValidKey, unknown][]>()
  for (const name of names) {
    const store = database.transaction(name).objectStore(name)
    const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())])
    copy.set(
      name,
      keys.map((key, at) => [key, values[at]]),
    )
  }
  database.close()
  return async () => {
    const target = await openRaw(userId)
    const transaction = target.transaction(names, 'readwrite')
    for (const [name, rows] of copy) {
      const store = transaction.objectStore(name)
      store.clear()
      for (const [key, value] of rows) store.keyPath === null ? store.put(value, key) : store.put(value)
    }
    await new Promise((resolve) => transaction.addEventListener('complete', resolve))
    target.close()
    await listFirst(userId)
  }
}

/** Restores the first vault of this user in the browser's list, and deletes later vaults. */
async function listFirst(userId: string): Promise<void> {
  for (const { name = '' } of await indexedDB.databases())
    if (name.startsWith(`conclave-${userId}-`)) await settled(indexedDB.deleteDatabase(name))
  const list = await settled(indexedDB.open('conclave'))
  const rows = list.transaction('vaults', 'readwrite').objectStore('vaults')
  const { username } = (await settled(rows.get(userId))) as { username: string }
  await settled(rows.put({ userId, username }))
  list.close()
}

const openRaw = (userId: string) => settled(indexedDB.open(`conclave-${userId}`))

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
