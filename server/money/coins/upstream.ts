import type { Outbound, OutboundAnswer, OutboundRequest } from '../../ground/outbound/outbound.ts'
import { NodeError } from './chain.ts'

/** A block of Ethereum with its transactions has some 500 kB. */
const ANSWER_BYTES = 16 * 1024 * 1024

/** The operator sets the addresses. Throws NodeError. */
export interface Upstream {
  /** Returns undefined for 404. Only 200 is a success. */
  get(address: string): Promise<string | undefined>
  /** Sends and parses JSON of these statuses. */
  post(address: string, body: unknown, statuses?: readonly number[]): Promise<unknown>
}

export function makeUpstream(outbound: Outbound): Upstream {
  // Names no path: addresses of rented nodes hold a key.
  const refused = (address: string, status: number) => new NodeError(`${new URL(address).host} answered ${status}`)
  async function send(address: string, request: OutboundRequest): Promise<OutboundAnswer> {
    try {
      return await outbound.send(address, request)
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
