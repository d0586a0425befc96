import type { z } from 'zod'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import type { RefusalBody, RefusalCode } from '../../contract/ground/refusals.ts'
import { patience } from './patience.ts'

const RETRY_MAX_SECONDS = 3600

/** `status` 0: "offline", "no_answer". `message` is the page's own text. */
export class ApiError extends Error {
  readonly status: number
  readonly code: RefusalCode | 'offline' | 'no_answer' | 'unreadable_answer'
  /** 1 to 3600 s. */
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

  override toString(): string {
    return `${this.status}: ${this.message}`
  }
}

export const isRefused = (error: unknown, code: ApiError['code']): error is ApiError =>
  error instanceof ApiError && error.code === code

/** Parses input and output by the contract. Throws ApiError. */
export type Api = <In extends z.ZodType, Out extends z.ZodType>(
  endpoint: Endpoint<In, Out, 'json'>,
  input: z.input<In>,
) => Promise<z.output<Out>>

type Fetch = (path: string, init: RequestInit) => Promise<Response>

interface Options {
  fetch?: Fetch
  onSignedOut?: (endpoint: Endpoint) => void
  /** The call ends when this does. */
  onTorRequired?: (details: unknown) => Promise<void>
  /** Signs for the session; the refused call is repeated [Note: D4]. */
  prove?: () => Promise<void>
}

export function createApi({ fetch: wire = fetch.bind(globalThis), onSignedOut, onTorRequired, prove }: Options = {}): Api {
  /** A 304 has no body. */
  const known = new Map<string, { etag: string; answer: unknown }>()
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
      // The cache must not store an account's data.
      cache: 'no-store',
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(before && { 'If-None-Match': before.etag }),
      },
      ...(body !== undefined && { body }),
    }
    const bounds = { silenceMs: silenceOf(endpoint), limitBytes: endpoint.answerLimitBytes ?? LIMITS.answerBytes }
    const { response, text } = await exchange((signal) => wire(path, { ...init, signal }), bounds)
    if (response.status === 304 && before) return endpoint.output.parse(before.answer)
    const answer = readJson(text)
    const etag = response.headers.get('ETag')
    if (response.ok && etag) known.set(path, { etag, answer })
    if (!response.ok) {
      const error = await refusalOf(response, text, endpoint.input.safeParse(input))
      if (error.code === 'not_signed_in') onSignedOut?.(endpoint)
      if (error.code === 'tor_required') await onTorRequired?.(error.details)
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
      // The calls of the proof need no proof.
      if (!prove || !isRefused(error, 'device_required') || isOfProof(endpoint)) throw error
      await proveOnce()
      return await call(endpoint, input)
    }
  }
}

const isOfProof = ({ assurance, whileAsleep }: Endpoint): boolean => assurance === 'session' && whileAsleep === true

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

/** Returns ms. An upload, and a waiting write, take longer. */
function silenceOf({ method, bodyLimitBytes }: Endpoint): number {
  const { bodySilenceMs, readSilenceMs, writeSilenceMs } = patience()
  if (bodyLimitBytes !== undefined) return bodySilenceMs
  return method === 'GET' ? readSilenceMs : writeSilenceMs
}

interface Bounds {
  silenceMs: number
  limitBytes: number
}

/** Throws ApiError: "offline", "no_answer" after `silenceMs`, "unreadable_answer" beyond `limitBytes`. */
async function exchange(
  send: (signal: AbortSignal) => Promise<Response>,
  { silenceMs, limitBytes }: Bounds,
): Promise<{ response: Response; text: string }> {
  const abort = new AbortController()
  const deadline = performance.now() + patience().wholeAnswerMs
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

/** Trusts no shape of the body and none of its words. `input` explains what the contract refuses. */
export async function refusalOf(response: Response, text: string, input?: z.ZodSafeParseResult<unknown>): Promise<ApiError> {
  const answer = readJson(text)
  const body: { [Key in keyof RefusalBody]?: unknown } = typeof answer === 'object' && answer !== null ? answer : {}
  const { code, text: words } = await wordsOf(body, response.status)
  const own = code === 'invalid_input' ? input?.error?.issues[0]?.message : undefined
  return new ApiError(response.status, code, (own ?? words) + incidentWords(body.incidentId), {
    retryAfterSeconds: readSeconds(body.retryAfterSeconds),
    details: body.details,
  })
}

async function wordsOf({ code, error }: { [Key in keyof RefusalBody]?: unknown }, status: number) {
  try {
    const { refusalWords } = await import('../../contract/ground/refusalWords.ts')
    return refusalWords(code, error, status)
  } catch {
    // Callers go by the code.
    const named = typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? (code as RefusalCode) : 'internal'
    return { code: named, text: 'Something went wrong on the server' }
  }
}

/** The server logs its bug under this number. */
const incidentWords = (id: unknown): string => (typeof id === 'string' && /^[\da-f-]{4,36}$/.test(id) ? `. Incident ${id}` : '')

/** Other numbers would mean no pause, or a month. */
const readSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(RETRY_MAX_SECONDS, Math.max(1, value)) : undefined
