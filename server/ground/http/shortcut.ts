import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Config, Listener } from '../../settings/config.ts'
import { requireAccess } from './access.ts'
import { readJson } from './body.ts'
import { readSessionHash } from './cookie.ts'
import { answerOf } from './errors.ts'
import { headersOf } from './headers.ts'
import { parseInput, requirePlain } from './input.ts'
import { takeRates } from './limits.ts'
import { listenerOf } from './listener.ts'
import type { NoteAnswer } from './log.ts'
import { isOriginAllowed } from './origin.ts'
import { endPlain, type Pace } from './pace.ts'
import { isPastTor } from './torOnly.ts'

const JSON_TYPES = new Set(['application/json', 'application/json; charset=utf-8', 'application/json;charset=utf-8'])

export interface ShortcutOptions {
  log: FastifyBaseLogger
  notes: readonly NoteAnswer[]
  pace: Pace
}

interface Options<In extends z.ZodType> extends ShortcutOptions {
  /** May be a moment old if the verb's own statement checks the session. */
  findUser: (sessionHash: string) => Promise<SignedInUser | undefined>
  /** Returns JSON of the endpoint's output. */
  act: (user: SignedInUser, input: z.output<In>) => Promise<string>
}

/** Returns false for a request that the framework must take. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * Answers plain requests of a frequent call without the framework, which costs as much as the call. The guards and their order
 * stay.
 */
export function makeShortcut<In extends z.ZodType>(
  app: FastifyInstance,
  env: Env,
  endpoint: Endpoint<In>,
  options: Options<In>,
): Shortcut {
  const { findUser, act, log, notes, pace } = options
  const sizeMax = endpoint.bodyLimitBytes ?? LIMITS.bodyBytes
  const paramsOf = matcherOf(endpoint.path)
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    { listener, sessionHash, params }: { listener: Listener; sessionHash: string; params: Record<string, string> },
  ) {
    const startedMs = performance.now()
    // Node writes a list in two thirds of an object's time.
    const head = headListOf(listener)
    const send = (status: number, body: string, more: string[]) => {
      const closing = isClosing ? ['connection', 'close'] : []
      response.writeHead(status, [...head, ...more, ...closing, 'content-length', String(Buffer.byteLength(body))]).end(body)
    }
    let [status, code]: [number, ReturnType<typeof answerOf>['code'] | undefined] = [200, undefined]
    try {
      const body = readJson(await bodyOf(env.config, request, pace))
      const user = requireAccess(endpoint, await findUser(sessionHash), env.clock())
      const input = parseInput(endpoint.input, { ...requirePlain(body), ...params })
      await takeRates(env.limits, endpoint, user, input)
      send(status, await act(user, input), [])
    } catch (error) {
      const refused = answerOf(error, log)
      ;[status, code] = [refused.status, refused.code]
      const { retryAfterSeconds } = refused
      send(status, refused.body, retryAfterSeconds === undefined ? [] : ['retry-after', String(retryAfterSeconds)])
    }
    const answered = { method: endpoint.method, route: endpoint.path, status, code, ms: performance.now() - startedMs }
    for (const note of notes) note(answered, log)
  }

  return (request, response) => {
    if (request.method !== endpoint.method || isClosing) return false
    const params = paramsOf(request.url ?? '')
    if (!params || !hasPlainBody(request, sizeMax) || !isOriginAllowed(env.config, request)) return false
    const listener = listenerOf(env.config, request.socket)
    if (isPastTor(env, listener)) return false
    const sessionHash = sessionHashOf(request, listener)
    if (sessionHash === undefined || !headersOf(listener)) return false
    void answer(request, response, { listener, sessionHash, params })
    return true
  }
}

/** Matches one parameter at most, and none that has to be decoded. */
function matcherOf(path: string): (url: string) => Record<string, string> | undefined {
  const [before = '', name, after = ''] = path.split(/:(\w+)/)
  if (name === undefined) return (url) => (url === path ? {} : undefined)
  return (url) => {
    if (!url.startsWith(before) || !url.endsWith(after)) return undefined
    const value = url.slice(before.length, url.length - after.length)
    return PLAIN.test(value) ? { [name]: value } : undefined
  }
}

const PLAIN = /^[\w-]{1,200}$/

export function putBefore(server: Server, shortcut: Shortcut): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse<IncomingMessage> & { req: IncomingMessage }) => {
    if (shortcut(request, response)) return
    for (const listener of listeners) listener(request, response)
  })
}

const headLists = new WeakMap<Listener, string[]>()

function headListOf(listener: Listener): string[] {
  const made = headLists.get(listener) ?? [
    ...Object.entries(headersOf(listener) ?? {}).flat(),
    'content-type',
    'application/json; charset=utf-8',
  ]
  headLists.set(listener, made)
  return made
}

/** A connection sends the same Cookie header each time. */
const lastCookies = new WeakMap<Socket, { header: string; sessionHash: string | undefined }>()

function sessionHashOf({ socket, headers }: IncomingMessage, listener: Listener): string | undefined {
  const header = headers.cookie ?? ''
  const last = lastCookies.get(socket)
  if (last?.header === header) return last.sessionHash
  const sessionHash = readSessionHash(listener, header)
  lastCookies.set(socket, { header, sessionHash })
  return sessionHash
}

function hasPlainBody({ headers }: IncomingMessage, sizeMax: number): boolean {
  const length = headers['content-length']
  if (length === undefined || headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return false
  return Number(length) > 0 && Number(length) <= sizeMax && JSON_TYPES.has(headers['content-type'] ?? '')
}

/** Never resolves if the connection breaks. Node's parser holds the length to Content-Length. */
function bodyOf(config: Config, request: IncomingMessage, pace: Pace): Promise<Buffer> {
  const stop = endPlain(config, request, pace)
  return new Promise((resolve) => {
    let first: Buffer | undefined
    const more: Buffer[] = []
    request.on('data', (chunk: Buffer) => {
      if (first) more.push(chunk)
      else first = chunk
    })
    request.on('end', () => {
      stop()
      const begun = first ?? Buffer.alloc(0)
      resolve(more.length === 0 ? begun : Buffer.concat([begun, ...more]))
    })
    request.on('close', stop)
  })
}
