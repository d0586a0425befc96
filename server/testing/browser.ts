import { randomUUID } from 'node:crypto'
import WebSocket from 'ws'
import type { z } from 'zod'
import { accountApi } from '../../contract/account/account.ts'
import { devicesApi } from '../../contract/account/devices.ts'
import type { OrderAct } from '../../contract/account/forms.ts'
import { passkeysApi } from '../../contract/account/passkeys.ts'
import { chatLocksApi } from '../../contract/chat/chatlocks.ts'
import { commitDraftShape, roomsApi } from '../../contract/chat/rooms.ts'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { orderSignature, sessionProof, type TestIdentity } from './keys.ts'
import { openTestSocket, type TestSocket } from './socket.ts'

/** A response to compare. `body` is undefined if it is not JSON, `code` if it is no refusal. */
export interface Answer {
  status: number
  code: string | undefined
  body: unknown
}

/** A response with headers and raw text. */
export interface WholeAnswer extends Answer {
  headers: Headers
  text: string
}

interface Asked {
  /** Text and bytes are sent unchanged, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

/** Thrown by `does` for any status but 200. */
export class RefusedCall extends Error {
  readonly answer: Answer
  constructor(what: string, answer: Answer) {
    super(`${what} was answered ${answer.status}: ${JSON.stringify(answer.body)?.slice(0, 300)}`)
    this.name = 'RefusedCall'
    this.answer = answer
  }
}

/** A client with its own cookie. Without an `origin` it speaks as a program does. */
export interface Browser {
  /** Of the session. */
  cookie: string | undefined
  /** The cookie by which the browser is known at sign-in. */
  mark: string | undefined
  /** The device that signs for the session whenever the server asks for it, as a page does. */
  signer: string | undefined
  /** The page that it shows: the contract's calls are sent with it where they write. */
  origin: string | undefined
  /** Makes a call of the contract. Throws RefusedCall unless the status is 200. */
  does<In extends z.ZodType, Out extends z.ZodType>(endpoint: Endpoint<In, Out>, input: z.input<In>): Promise<z.output<Out>>
  /** Makes a call and returns any response, for `toBeRefused`. The input may be invalid. */
  tries(endpoint: Endpoint, input: Record<string, unknown>): Promise<Answer>
  /** Sends any request, as a program does. */
  request(method: string, path: string, asked?: Asked): Promise<WholeAnswer>
  /** Opens /ws, or another address of sockets. Throws RefusedCall if the upgrade is refused. */
  opensSocket(headers?: Record<string, string>, path?: string): Promise<TestSocket>
  /** What this device signs for the session. */
  proofBy(deviceId: string): Promise<string>
  /** This device signs for the session, and is its `signer`. */
  proves(deviceId: string): Promise<void>
  /** Whose keys its owner opens for an order, which then comes with the calls that need one [Note: D5]; undefined: nobody's. */
  opened: (() => { id: string; identity: TestIdentity }) | undefined
}

/** As a browser does, claims the key packages of a generation before it creates the group [Note: R8]. `request` does not. */
async function claimFirst(browser: Browser, endpoint: Endpoint, input: unknown): Promise<void> {
  const draft = endpoint.path === roomsApi.commit.path && endpoint.method === 'POST' && commitDraftShape.safeParse(input)
  if (!draft || draft.error || draft.data.epoch !== 0) return
  const { chatRoomId, generation } = draft.data
  await browser.request('POST', `/api/rooms/${chatRoomId}/key-packages`, { body: { generation } })
}

const ACTS: Record<string, OrderAct> = {
  [accountApi.changePassword.path]: 'change password',
  [accountApi.remove.path]: 'delete account',
  [chatLocksApi.giveUp.path]: 'give up chat history',
  [passkeysApi.add.path]: 'add passkey',
  [passkeysApi.rename.path]: 'rename passkey',
  [passkeysApi.remove.path]: 'remove passkey',
  [passkeysApi.setBiometric.path]: 'switch biometric',
}

/** The input with the order that its call needs, unless it brings one. */
export async function ordered(browser: Browser, { method, path }: Endpoint, input: unknown): Promise<unknown> {
  const [act, whose] = [method === 'GET' ? undefined : ACTS[path], browser.opened?.()]
  if (!act || !whose || typeof input !== 'object' || input === null || 'order' in input) return input
  const { body } = await browser.request('GET', devicesApi.challenge.path)
  const parsed = devicesApi.challenge.output.safeParse(body)
  if (!parsed.success) return input
  const place: [string, string, string, OrderAct] = [browser.origin ?? '', whose.id, parsed.data.challenge, act]
  const posted = Object.fromEntries(Object.entries(input).filter(([name]) => !path.includes(`:${name}`)))
  return { ...input, order: orderSignature(whose.identity, place, posted) }
}

export function newBrowser(url: string, origin?: string): Browser {
  const browser: Browser = {
    ...{ cookie: undefined, mark: undefined, signer: undefined, origin, opened: undefined },
    async does(endpoint, input) {
      await claimFirst(browser, endpoint, input)
      const answer = await send(browser, endpoint, await ordered(browser, endpoint, input))
      if (answer.status !== 200) throw new RefusedCall(`${endpoint.method} ${endpoint.path}`, answer)
      return endpoint.output.parse(answer.body)
    },
    async tries(endpoint, input) {
      await claimFirst(browser, endpoint, input)
      const { status, code, body } = await send(browser, endpoint, await ordered(browser, endpoint, input))
      return { status, code, body }
    },
    async request(method, path, asked = {}) {
      const answer = await ask(browser, url + path, method, asked)
      const { signer } = browser
      if (answer.code !== 'device_required' || signer === undefined) return answer
      browser.signer = undefined
      await browser.proves(signer)
      return await ask(browser, url + path, method, asked)
    },
    async opensSocket(headers = {}, path = '/ws') {
      const cookie = browser.cookie && { cookie: browser.cookie }
      const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers: { ...cookie, ...headers } })
      return await openTestSocket(
        socket,
        (status, text) => new RefusedCall('The socket', readAnswer(status, new Headers(), text)),
      )
    },
    async proofBy(deviceId) {
      const [{ id }, { challenge }] = [await browser.does(accountApi.user, {}), await browser.does(devicesApi.challenge, {})]
      return sessionProof(browser.origin ?? '', id, deviceId, challenge)
    },
    async proves(deviceId) {
      await browser.does(devicesApi.prove, { deviceId, proof: await browser.proofBy(deviceId) })
      browser.signer = deviceId
    },
  }
  return browser
}

async function ask(browser: Browser, address: string, method: string, { body, headers }: Asked): Promise<WholeAnswer> {
  const answer = await fetch(address, {
    method,
    redirect: 'manual',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...((browser.cookie || browser.mark) && { cookie: [browser.cookie, browser.mark].filter(Boolean).join('; ') }),
      ...headers,
    },
    ...(body !== undefined && { body: isWritten(body) ? body : JSON.stringify(body) }),
  })
  for (const line of answer.headers.getSetCookie()) keepCookie(browser, line)
  return readAnswer(answer.status, answer.headers, await answer.text())
}

async function send(browser: Browser, { method, path, body: kind = 'json' }: Endpoint, input: unknown): Promise<WholeAnswer> {
  const from: Record<string, string> = browser.origin === undefined || method === 'GET' ? {} : { origin: browser.origin }
  const rest = new Map(Object.entries(typeof input === 'object' && input !== null ? input : {}))
  const address = path.replace(/:([^/]+)/g, (_whole, name: string) => {
    const value = String(rest.get(name) ?? randomUUID())
    rest.delete(name)
    return encodeURIComponent(value)
  })
  if (kind === 'json' && method !== 'GET' && method !== 'DELETE')
    return await browser.request(method, address, { body: Object.fromEntries(rest), headers: from })
  const query = new URLSearchParams(
    [...rest].filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]),
  )
  return await browser.request(method, rest.size > 0 ? `${address}?${query}` : address, { headers: from })
}

const isWritten = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array

function keepCookie(browser: Browser, line: string): void {
  const [pair = ''] = line.split(';')
  if (pair.includes('_browser=')) browser.mark = pair
  else {
    browser.cookie = pair.endsWith('=') ? undefined : pair
    browser.signer = undefined
  }
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
