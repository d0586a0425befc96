import 'fake-indexeddb/auto'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { IDBFactory } from 'fake-indexeddb'
import { flushRoom, waitOf } from '../client/chat/messages/outbox.ts'
import type { Env } from '../client/env.ts'
import { endSignUp, enrolThisBrowser, signIn, signUp } from '../client/me/signin/signin.ts'
import { createApi } from '../client/net/api.ts'
import { roomOfContact } from '../client/rooms/list/listedRoom.ts'
import { catchUp } from '../client/rooms/log/catchUp.ts'
import { syncBook } from '../client/rooms/trust/book.ts'
import { refreshOwnDevices } from '../client/rooms/trust/ownDevices.ts'
import { openBrowser } from '../client/testing/browser.ts'
import { type Disk, readDisk } from '../client/testing/disk.ts'
import { createCore } from '../client/worker/core.ts'
import type { StoredMessage } from '../client/worker/crypto.ts'
import { accountApi } from '../contract/account/account.ts'
import { type Contact, contactsApi } from '../contract/chat/contacts.ts'

/** A user with the real client code and keys at the real server, but without a browser window, so that many of them cost little. */
export interface HeadlessUser {
  username: string
  userId: string
  env: Env
  /** Asks the server for an address, in this user's session. */
  fetches(place: string): Promise<Response>
  /** Follows the log of the chat, and returns what this user keeps of it. */
  reads(username: string): Promise<StoredMessage[]>
  adds(username: string): Promise<void>
  accepts(username: string): Promise<void>
  says(username: string, texts: string[]): Promise<void>
}

const nothing = () => undefined
let users = 0

/** The databases of the browser in which something runs. Others run in this process meanwhile, and a process has one `indexedDB`. */
const ownDisk = new AsyncLocalStorage<IDBFactory>()
let everybodysDisk = indexedDB
Object.defineProperty(globalThis, 'indexedDB', {
  configurable: true,
  get: () => ownDisk.getStore() ?? everybodysDisk,
  set: (disk: IDBFactory) => {
    everybodysDisk = disk
  },
})

// The verbs of a sign-up read a browser's globals.
openBrowser()

/** Chromium on Linux, which is what the pages of these tests say of themselves. */
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36'
Object.assign(navigator, { userAgent: AGENT })

interface NewUser {
  username: string
  displayName: string
  password: string
  /** The IP address that a server behind one proxy sees: rate limits count by address. */
  address: string
}

/** The product's verbs at a server, without a page, and the cookies that its answers have set. */
function clientAt(url: string, address: string) {
  const { origin } = new URL(url)
  const cookies = new Map<string, string>()
  const fetches = async (path: string, { method, body, headers }: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(url + path, {
      ...(method && { method }),
      ...(body && { body }),
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        ...{ origin, 'x-forwarded-for': address, 'user-agent': AGENT },
        ...(cookie && { cookie }),
      },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }
  const api = createApi({ fetch: fetches })
  const socket = {
    open: nothing,
    close: nothing,
    isAlive: () => false,
    reconnect: nothing,
    retry: nothing,
    steady: nothing,
    heardAt: () => 0,
    send: () => false,
    on: () => nothing,
  }
  const env: Env = { api, crypto: createCore(() => origin), socket, clock: () => new Date() }
  return { env, cookies, fetches }
}

async function signsUp(url: string, { username, displayName, password, address }: NewUser) {
  const client = clientAt(url, address)
  await signUp(client.env, { username, displayName, password, confirmPassword: password })
  await endSignUp(client.env)
  return client
}

/** What a browser keeps of an account that was made in it. */
export interface Moved {
  cookies: { name: string; value: string }[]
  disk: Disk[]
  user: { id: string; username: string; displayName: string }
}

/** Makes an account by the verbs that the page calls, in a browser of its own without a page, and returns what that browser keeps. */
export const madeAccount = (url: string, who: NewUser): Promise<Moved> => inOwnBrowser(() => signsUp(url, who))

/** Adds a browser to an account by its password, in the same way, and returns what it keeps. */
export const madeBrowser = (url: string, { username, password, address }: Omit<NewUser, 'displayName'>): Promise<Moved> =>
  inOwnBrowser(async () => {
    const client = clientAt(url, address)
    const { step } = await signIn(client.env, { username, password })
    if (step !== 'confirm_devices') throw new Error(`The sign-in stands at ${step}`)
    await enrolThisBrowser(client.env)
    return client
  })

function inOwnBrowser(work: () => Promise<ReturnType<typeof clientAt>>): Promise<Moved> {
  const disk = new IDBFactory()
  return ownDisk.run(disk, async () => {
    const { env, cookies } = await work()
    const { id, username, displayName } = await env.api(accountApi.user, {})
    await env.crypto.close()
    return {
      cookies: [...cookies].map(([name, value]) => ({ name, value })),
      disk: await readDisk(disk),
      user: { id, username, displayName },
    }
  })
}

/** Signs up at a server that trusts one proxy. Each user has another IP address, because rate limits count by address. */
export async function headlessUser(url: string, name: string): Promise<HeadlessUser> {
  users += 1
  const username = `${name}_${randomUUID().slice(0, 8)}`
  const address = `10.0.${users >> 8}.${users & 255}`
  const { env, fetches } = await signsUp(url, { username, displayName: name, password: `password of ${username}`, address })
  const { api, crypto: core } = env
  const { id: userId } = await api(accountApi.user, {})

  async function contactOf(other: string): Promise<Contact> {
    const contact = (await api(contactsApi.list, {})).find(({ contactUser }) => contactUser.username === other)
    if (!contact) throw new Error(`${other} is not on the list of ${username}`)
    return contact
  }

  return {
    username,
    userId,
    env,
    fetches,
    async reads(other) {
      const { room } = roomOfContact(await contactOf(other))
      await refreshOwnDevices(env)
      await syncBook(env)
      await catchUp(env, room)
      return (await core.page({ chatRoomId: room.id, limit: Number.MAX_SAFE_INTEGER })).messages
    },
    adds: async (other) => void (await api(contactsApi.add, { username: other })),
    accepts: async (other) => void (await api(contactsApi.accept, { contactId: (await contactOf(other)).id })),
    async says(other, texts) {
      const contact = await contactOf(other)
      const { room } = roomOfContact(contact)
      await refreshOwnDevices(env)
      await syncBook(env)
      for (const text of texts) {
        const content = { type: 'text' as const, text }
        const sentAt = new Date().toISOString()
        await core.keepInOutbox({ id: randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt })
        await flushRoom(env, room, async () => undefined)
      }
      const [left] = await core.outbox(room.id)
      if (left) throw new Error(left.failure ?? waitOf(room.id)?.reason ?? 'A message was not sent')
    },
  }
}
