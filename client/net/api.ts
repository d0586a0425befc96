import type { z } from 'zod'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { LIMITS, PERIODS } from '../../contract/ground/limits.ts'
import type { RefusalBody, RefusalCode } from '../../contract/ground/refusals.ts'

/** Maximum length of the server's error text, because a longer one helps nobody and a megabyte would block the page. */
const WORDS_CHARS = 300
const RETRY_MAX_SECONDS = 3600

/** The server refused, or did not answer (`status` 0: "offline", "no_answer"). `message` is the server's error text. */
export class ApiError extends Error {
  readonly status: number
  readonly code: RefusalCode | 'offline' | 'no_answer' | 'unreadable_answer'
  /** Time to wait before a retry: 1 to 3600 s. */
  readonly retryAfterSeconds: number | undefined
  readonly details: unknown

  constructor(
    status: number,
    code: ApiError['code'],
    text: string,
    extra: { retryAfterSeconds?: number | undefined; details?: unknown } = {},
  ) {
    super(text)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.retryAfterSeconds = extra.retryAfterSeconds
    this.details = extra.details
  }

  /** The specified text of an error: status, colon, message. */
  override toString(): string {
    return `${this.status}: ${this.message}`
  }
}

export const isRefused = (error: unknown, code: ApiError['code']): error is ApiError =>
  error instanceof ApiError && error.code === code

/** Calls an endpoint whose body is JSON; input and output are parsed by the contract. Throws ApiError. */
export type Api = <In extends z.ZodType, Out extends z.ZodType>(
  endpoint: Endpoint<In, Out, 'json'>,
  input: z.input<In>,
) => Promise<z.output<Out>>

type Fetch = (path: string, init: RequestInit) => Promise<Response>

interface Options {
  fetch?: Fetch
  /** Called when a call is refused because the session has ended. */
  onSignedOut?: (endpoint: Endpoint) => void
  /** Has this browser's device sign for the session: a call that was refused for want of it is made once more [Note: D4]. */
  prove?: () => Promise<void>
}

/** Makes the typed client for HTTP calls, which sends cookies. */
export function createApi({ fetch: wire = fetch.bind(globalThis), onSignedOut, prove }: Options = {}): Api {
  /** The last answer of each polled call by its ETag. An unchanged answer comes back as 304 without a body. */
  const known = new Map<string, { etag: string; answer: unknown }>()
  /** Calls that are refused at the same time wait for one proof. */
  let proving: Promise<void> | undefined
  const proveOnce = () => {
    proving ??= prove?.().finally(() => {
      proving = undefined
    })
    return proving
  }

  const call: Api = async (endpoint, input) => {
    const { path, body } = place(endpoint, Object.entries(input ?? {}))
    const before = endpoint.method === 'GET' ? known.get(path) : undefined
    const init: RequestInit = {
      method: endpoint.method,
      credentials: 'same-origin',
      // The browser's cache must not store data of an account.
      cache: 'no-store',
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(before && { 'If-None-Match': before.etag }),
      },
      ...(body !== undefined && { body }),
    }
    const patience = { silenceMs: silenceOf(endpoint), limitBytes: endpoint.answerLimitBytes ?? LIMITS.answerBytes }
    const { response, text } = await exchange((signal) => wire(path, { ...init, signal }), patience)
    if (response.status === 304 && before) return endpoint.output.parse(before.answer)
    const answer = readJson(text)
    const etag = response.headers.get('ETag')
    if (response.ok && etag) known.set(path, { etag, answer })
    if (!response.ok) {
      const error = refusalOf(response, text)
      if (error.code === 'not_signed_in') onSignedOut?.(endpoint)
      throw error
    }
    const parsed = endpoint.output.safeParse(answer)
    if (!parsed.success)
      throw new ApiError(response.status, 'unreadable_answer', 'The server answered in a way that this page does not know')
    return parsed.data
  }
  return async (endpoint, input) => {
    try {
      return await call(endpoint, input)
    } catch (error) {
      // What the proof itself needs asks for none.
      if (!prove || !isRefused(error, 'device_required') || endpoint.assurance === 'session') throw error
      await proveOnce()
      return await call(endpoint, input)
    }
  }
}

function place(endpoint: Endpoint, fields: [string, unknown][]): { path: string; body: string | undefined } {
  const inPath = new Set<string>()
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    inPath.add(name)
    return encodeURIComponent(String(fields.find(([key]) => key === name)?.[1]))
  })
  const rest = fields.filter(([key, value]) => !inPath.has(key) && value !== undefined)
  if (endpoint.method === 'POST' || endpoint.method === 'PUT') return { path, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams(rest.map(([key, value]) => [key, String(value)]))
  return { path: query.size > 0 ? `${path}?${query}` : path, body: undefined }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Timeout of a call, in ms. An upload takes longer, and a write may wait for other writes on the server. */
function silenceOf({ method, bodyLimitBytes }: Endpoint): number {
  if (bodyLimitBytes !== undefined) return PERIODS.uploadSilenceMs
  return method === 'GET' ? PERIODS.readSilenceMs : PERIODS.writeSilenceMs
}

interface Patience {
  /** Maximum time without any data. */
  silenceMs: number
  /** Maximum size of the body. */
  limitBytes: number
}

/**
 * Sends one request and reads the whole response as text. Throws ApiError: "offline" if the connection fails, "no_answer" if the
 * server sends nothing for `silenceMs`, "unreadable_answer" if it sends more than `limitBytes`.
 */
async function exchange(
  send: (signal: AbortSignal) => Promise<Response>,
  { silenceMs, limitBytes }: Patience,
): Promise<{ response: Response; text: string }> {
  const abort = new AbortController()
  const deadline = performance.now() + PERIODS.wholeAnswerMs
  const inTime = async <T>(step: Promise<T>): Promise<T> => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const waitMs = Math.min(silenceMs, deadline - performance.now())
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ApiError(0, 'no_answer', 'The server does not answer. Please try again')), waitMs)
    })
    return await Promise.race([step, silence]).finally(() => clearTimeout(timer))
  }
  try {
    const response = await inTime(send(abort.signal))
    return { response, text: await readText(response, limitBytes, inTime) }
  } catch (error) {
    abort.abort()
    throw error instanceof ApiError ? error : new ApiError(0, 'offline', 'The server cannot be reached')
  }
}

async function readText(response: Response, limitBytes: number, inTime: <T>(step: Promise<T>) => Promise<T>): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for (;;) {
    const { done, value } = await inTime(reader.read())
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > limitBytes)
      throw new ApiError(response.status, 'unreadable_answer', 'The server answered with more than this page reads')
    text += decoder.decode(value, { stream: true })
  }
}

/**
 * Makes an ApiError from a refusal, without trust in the shape of its body. The message is the server's error field, or else the
 * raw text, or else the status text.
 */
export function refusalOf(response: Response, text: string): ApiError {
  const answer = readJson(text)
  const body: { [Key in keyof RefusalBody]?: unknown } = typeof answer === 'object' && answer !== null ? answer : {}
  const words = (typeof body.error === 'string' && body.error) || text || response.statusText || 'The server gave no reason'
  // A newer server's code is kept. Callers that do not know it use the status.
  const code = typeof body.code === 'string' ? (body.code as RefusalCode) : 'internal'
  return new ApiError(response.status, code, words.slice(0, WORDS_CHARS) + incidentWords(body.incidentId), {
    retryAfterSeconds: readSeconds(body.retryAfterSeconds),
    details: body.details,
  })
}

/** The number under which the server has logged its own bug, for who reports it. */
const incidentWords = (id: unknown): string => (typeof id === 'string' ? `. Incident ${id.slice(0, 36)}` : '')

/** Bounds the seconds, because other numbers would mean retries without a pause, or none for a month. */
const readSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(RETRY_MAX_SECONDS, Math.max(1, value)) : undefined
