import type { Outbound, OutboundAnswer, OutboundRequest } from '../../ground/outbound/outbound.ts'
import { NodeError } from './chain.ts'

/** A block of Ethereum with its transactions has some 500 kB. */
const ANSWER_BYTES = 16 * 1024 * 1024

const TOO_MANY = 429
/** The pause after 429 doubles, until no 429 has come for a while. */
const PAUSE_MS = 30_000
const PAUSE_MAX_MS = 10 * 60_000
const CALM_MS = 10 * 60_000
const WANTED_MAX_MS = 60 * 60_000

/** The operator sets the addresses. Throws NodeError. */
export interface Upstream {
  /** Returns undefined for 404. Only 200 is a success. */
  get(address: string): Promise<string | undefined>
  /** Sends and parses JSON of these statuses. */
  post(address: string, body: unknown, statuses?: readonly number[]): Promise<unknown>
}

export function makeUpstream(outbound: Outbound, clock: () => Date = () => new Date()): Upstream {
  const pauses = new Map<string, { untilMs: number; lengthMs: number }>()

  /** Requests under way are refused together: the pause grows once. */
  function pause(host: string, wanted: string | undefined): void {
    const nowMs = clock().getTime()
    const last = pauses.get(host)
    const sinceMs = last ? nowMs - last.untilMs : CALM_MS
    const lengthMs =
      last && sinceMs < CALM_MS ? (sinceMs < 0 ? last.lengthMs : Math.min(2 * last.lengthMs, PAUSE_MAX_MS)) : PAUSE_MS
    const wantedMs = Math.min(wantedPauseMs(wanted, nowMs), WANTED_MAX_MS)
    pauses.set(host, { lengthMs, untilMs: Math.max(nowMs + lengthMs, nowMs + wantedMs, sinceMs < 0 && last ? last.untilMs : 0) })
  }

  // Names no path: addresses of rented nodes hold a key.
  const refused = (address: string, status: number) => new NodeError(`${new URL(address).host} answered ${status}`)
  async function send(address: string, request: OutboundRequest): Promise<OutboundAnswer> {
    const { host } = new URL(address)
    if (clock().getTime() < (pauses.get(host)?.untilMs ?? 0)) throw refused(address, TOO_MANY)
    try {
      const answer = await outbound.send(address, request)
      if (answer.status === TOO_MANY) pause(host, answer.headers['retry-after'])
      return answer
    } catch (cause) {
      throw new NodeError(cause instanceof Error ? cause.message : 'The node does not answer', { cause })
    }
  }
  return {
    async get(address) {
      const headers = { accept: 'application/json', 'user-agent': 'conclave' }
      const { status, text } = await send(address, { method: 'GET', headers, answerBytes: ANSWER_BYTES })
      if (status === 404) return undefined
      if (status !== 200) throw refused(address, status)
      return text
    },
    async post(address, body, statuses = [200]) {
      const headers = { 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify(body), answerBytes: ANSWER_BYTES } as const
      const { status, text } = await send(address, request)
      if (!statuses.includes(status)) throw refused(address, status)
      return parsedJson(text)
    },
  }
}

/** Throws NodeError. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new NodeError('The node answered something else than JSON', { cause })
  }
}

/** Reads Retry-After: seconds, or a date (RFC 9110, section 10.2.3). */
function wantedPauseMs(wanted: string | undefined, nowMs: number): number {
  if (wanted === undefined) return 0
  const ms = /^\d+$/.test(wanted) ? Number(wanted) * 1000 : Date.parse(wanted) - nowMs
  return Number.isNaN(ms) ? 0 : ms
}
