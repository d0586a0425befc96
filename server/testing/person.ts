import { randomBytes, randomUUID } from 'node:crypto'
import WebSocket from 'ws'
import type { z } from 'zod'
import { accountApi, type SignedIn } from '../../contract/account.ts'
import { type Contact, contactsApi } from '../../contract/contacts.ts'
import { devicesApi } from '../../contract/devices.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { type Draft, type Message, messagesApi } from '../../contract/messages.ts'
import { directRoomId } from '../../contract/shapes.ts'
import {
  type Changes,
  changed,
  newDeviceId,
  newIdentity,
  signedChange,
  signedKeys,
  type TestIdentity,
  withDevice,
} from './keys.ts'
import { openTestSocket, type TestSocket } from './socket.ts'

/** An answer to compare: `body` is undefined where it is no JSON, `code` where it is no refusal. */
export interface Answer {
  status: number
  code: string | undefined
  body: unknown
}

/** An answer with what a test of the ground looks at. */
export interface WholeAnswer extends Answer {
  headers: Headers
  text: string
}

interface Asked {
  /** Text and bytes go as they are, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

/** `does` was not answered with 200. */
export class RefusedCall extends Error {
  readonly answer: Answer
  constructor(what: string, answer: Answer) {
    super(`${what} was answered ${answer.status}: ${JSON.stringify(answer.body)?.slice(0, 300)}`)
    this.name = 'RefusedCall'
    this.answer = answer
  }
}

/** Something with a cookie of its own. It speaks as a program: no Origin is sent unless given. */
export interface Browser {
  cookie: string | undefined
  /** The contract's call; throws RefusedCall. */
  does<In extends z.ZodType, Out extends z.ZodType>(endpoint: Endpoint<In, Out>, input: z.input<In>): Promise<z.output<Out>>
  /** The same, answered as it comes: for `toBeRefused`. The input may be wrong. */
  tries(endpoint: Endpoint, input: Record<string, unknown>): Promise<Answer>
  /** Any request at all. */
  request(method: string, path: string, asked?: Asked): Promise<WholeAnswer>
  /** Opens /ws; throws RefusedCall where the upgrade is refused. */
  opensSocket(headers?: Record<string, string>): Promise<TestSocket>
}

/** Someone with an account, keys and one device, signed in. */
export interface Person extends Browser {
  id: string
  username: string
  /** What a browser sends as `password` with kdf 1. */
  authSecret: string
  deviceId: string
  identity: TestIdentity
  unlock: SignedIn['unlock']
  /** Signs in by the password in another browser: no device yet. */
  elsewhere(): Promise<Browser>
  /** The same, and enrols it. */
  addsBrowser(): Promise<Browser & { deviceId: string }>
  /** Changes the account's keys; `identity` is the new one once the server accepted. `via` is the browser that does it. */
  changesKeys(changes: Changes, more?: Extra, via?: Browser): Promise<void>
  adds(other: Person): Promise<Contact>
  contacts(): Promise<Contact[]>
  /** Both add each other; returns the room's id. */
  talksTo(other: Person): Promise<string>
  says(chatRoomId: string, content: string, more?: Partial<Draft>): Promise<Message>
  /** The same, answered as it comes. */
  posts(chatRoomId: string, content: string, more?: Partial<Draft>): Promise<Answer>
}

interface Extra {
  kitSecret?: string | null
  /** The authSecret, where the password becomes a way in again. */
  password?: string
}

export const newAuthSecret = (): string => randomBytes(32).toString('base64url')

/** Registers someone as a browser does: with keys. */
export async function newPerson(url: string, username: string): Promise<Person> {
  const browser = newBrowser(url)
  const [authSecret, deviceId] = [newAuthSecret(), newDeviceId()]
  const identity = newIdentity(deviceId)
  const form = { username, displayName: username, password: authSecret, confirmPassword: authSecret, kdf: 1 as const }
  const { id, unlock } = await browser.does(accountApi.register, { ...form, keys: signedKeys(identity, deviceId) })
  const { does, tries } = browser
  // The same object: its calls read and keep the cookie there.
  const person: Person = Object.assign(browser, {
    ...{ id, username, authSecret, deviceId, identity, unlock },
    async elsewhere() {
      const other = newBrowser(url)
      await other.does(accountApi.login, { username, password: person.authSecret, kdf: 1 })
      return other
    },
    async addsBrowser() {
      const [other, deviceId] = [await person.elsewhere(), newDeviceId()]
      const next = withDevice(person.identity, deviceId)
      await other.does(devicesApi.enrol, signedKeys(next, deviceId))
      person.identity = next
      return Object.assign(other, { deviceId })
    },
    async changesKeys(changes: Changes, { kitSecret, password }: Extra = {}, via: Browser = person) {
      const next = changed(person.identity, changes)
      const { version: bookVersion } = await via.does(devicesApi.book, {})
      const change = signedChange(person.identity, next, { bookVersion, ...(kitSecret !== undefined && { kitSecret }) })
      await via.does(devicesApi.changeKeys, { ...change, ...(password !== undefined && { password }) })
      person.identity = next
    },
    adds: (other: Person) => does(contactsApi.add, { username: other.username }),
    contacts: () => does(contactsApi.list, {}),
    async talksTo(other: Person) {
      await does(contactsApi.add, { username: other.username })
      await other.does(contactsApi.add, { username })
      return directRoomId(id, other.id)
    },
    says: (chatRoomId: string, content: string, more?: Partial<Draft>) =>
      does(messagesApi.send, { chatRoomId, content, messageType: 'text', ...more }),
    posts: (chatRoomId: string, content: string, more?: Partial<Draft>) =>
      tries(messagesApi.send, { chatRoomId, content, messageType: 'text', ...more }),
  })
  return person
}

export function newBrowser(url: string): Browser {
  const browser: Browser = {
    cookie: undefined,
    async does(endpoint, input) {
      const answer = await send(browser, endpoint, input)
      if (answer.status !== 200) throw new RefusedCall(`${endpoint.method} ${endpoint.path}`, answer)
      return endpoint.output.parse(answer.body)
    },
    async tries(endpoint, input) {
      const { status, code, body } = await send(browser, endpoint, input)
      return { status, code, body }
    },
    async request(method, path, { body, headers } = {}) {
      const answer = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(browser.cookie && { cookie: browser.cookie }),
          ...headers,
        },
        ...(body !== undefined && { body: isWritten(body) ? body : JSON.stringify(body) }),
      })
      for (const line of answer.headers.getSetCookie()) browser.cookie = keepCookie(line)
      return readAnswer(answer.status, answer.headers, await answer.text())
    },
    async opensSocket(headers = {}) {
      const cookie = browser.cookie && { cookie: browser.cookie }
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { ...cookie, ...headers } })
      return await openTestSocket(
        socket,
        (status, text) => new RefusedCall('The socket', readAnswer(status, new Headers(), text)),
      )
    },
  }
  return browser
}

async function send(browser: Browser, { method, path, body: kind = 'json' }: Endpoint, input: unknown): Promise<WholeAnswer> {
  const rest = new Map(Object.entries(typeof input === 'object' && input !== null ? input : {}))
  const address = path.replace(/:([^/]+)/g, (_whole, name: string) => {
    const value = String(rest.get(name) ?? randomUUID())
    rest.delete(name)
    return encodeURIComponent(value)
  })
  if (kind === 'json' && method !== 'GET' && method !== 'DELETE')
    return await browser.request(method, address, { body: Object.fromEntries(rest) })
  const query = new URLSearchParams(
    [...rest].filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]),
  )
  return await browser.request(method, rest.size > 0 ? `${address}?${query}` : address)
}

const isWritten = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array

function keepCookie(line: string): string | undefined {
  const [pair = ''] = line.split(';')
  return pair.endsWith('=') ? undefined : pair
}

function readAnswer(status: number, headers: Headers, text: string): WholeAnswer {
  const body = readJson(text)
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : undefined
  return { status, code, body, headers, text }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
