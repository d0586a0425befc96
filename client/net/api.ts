import type { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { RefusalBody, RefusalCode } from '../../contract/refusals.ts'

/** The server said no, or could not be asked (`status` 0, `code` "offline"). `message` is the server's own words. */
export class ApiError extends Error {
  readonly status: number
  readonly code: RefusalCode | 'offline' | 'unreadable_answer'
  readonly retryAfterSeconds: number | undefined
  readonly details: unknown

  constructor(
    status: number,
    code: ApiError['code'],
    text: string,
    extra: { retryAfterSeconds?: number; details?: unknown } = {},
  ) {
    super(text)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.retryAfterSeconds = extra.retryAfterSeconds
    this.details = extra.details
  }

  /** The text that the specification gives an error: the status, a colon, the words. */
  override toString(): string {
    return `${this.status}: ${this.message}`
  }
}

/** Calls an endpoint whose body is JSON; input and output are parsed by the contract. Throws ApiError. */
export type Api = <In extends z.ZodType, Out extends z.ZodType>(
  endpoint: Endpoint<In, Out, 'json'>,
  input: z.input<In>,
) => Promise<z.output<Out>>

type Fetch = (path: string, init: RequestInit) => Promise<Response>

interface Options {
  fetch?: Fetch
  /** Told whenever a call was refused because the session has ended. */
  onSignedOut?: (endpoint: Endpoint) => void
}

/** The typed way to the server. Cookies travel with it. */
export function createApi({ fetch: wire = fetch.bind(globalThis), onSignedOut }: Options = {}): Api {
  /** The last answer of each polled call: nothing new comes back as 304 and costs no body. */
  const known = new Map<string, { etag: string; answer: unknown }>()
  return async (endpoint, input) => {
    const { path, body } = place(endpoint, Object.entries(input ?? {}))
    const before = endpoint.method === 'GET' ? known.get(path) : undefined
    const response = await reach(wire, path, {
      method: endpoint.method,
      credentials: 'same-origin',
      // The browser's own cache keeps nothing of an account.
      cache: 'no-store',
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(before && { 'If-None-Match': before.etag }),
      },
      ...(body !== undefined && { body }),
    })
    if (response.status === 304 && before) return endpoint.output.parse(before.answer)
    const text = await response.text().catch(() => '')
    const answer = readJson(text)
    const etag = response.headers.get('ETag')
    if (response.ok && etag) known.set(path, { etag, answer })
    if (!response.ok) {
      const error = refusal(response, text, answer)
      if (error.code === 'not_signed_in') onSignedOut?.(endpoint)
      throw error
    }
    const parsed = endpoint.output.safeParse(answer)
    if (!parsed.success)
      throw new ApiError(response.status, 'unreadable_answer', 'The server answered in a way that this page does not know')
    return parsed.data
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

async function reach(wire: Fetch, path: string, init: RequestInit): Promise<Response> {
  try {
    return await wire(path, init)
  } catch {
    throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** More than this of a server's words would only cover the screen. */
const WORDS_MAX_CHARS = 300

/** The words are the server's error field, else the raw text, else the status text. */
function refusal(response: Response, text: string, answer: unknown): ApiError {
  const body: Partial<RefusalBody> = typeof answer === 'object' && answer !== null ? answer : {}
  const words = (typeof body.error === 'string' && body.error) || text || response.statusText || 'The server gave no reason'
  return new ApiError(response.status, body.code ?? 'internal', words.slice(0, WORDS_MAX_CHARS), {
    ...(body.retryAfterSeconds !== undefined && { retryAfterSeconds: body.retryAfterSeconds }),
    details: body.details,
  })
}
