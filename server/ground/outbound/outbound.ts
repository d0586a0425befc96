import { Resolver } from 'node:dns/promises'
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Refusal } from '../../refuse.ts'
import { isPublicAddress } from './addresses.ts'

/** Time for a whole request, the name included. */
const LIMIT_MS = 5000

export interface OutboundRequest {
  method: 'GET' | 'POST'
  headers: OutgoingHttpHeaders
  body?: Buffer | string
  /** The first bytes of the answer that are read. 0: its status and headers alone. */
  answerBytes: number
}

export interface OutboundAnswer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** Requests to addresses that users choose. */
export interface Outbound {
  /** Returns the address as it is written in requests. Throws Refusal `forbidden_address`. */
  check(address: string): Promise<string>
  /**
   * Sends one request within five seconds. It connects to the addresses that it has checked, so a name that changes meanwhile leads
   * nowhere else, and follows no redirect. Throws Refusal `forbidden_address`, and errors of the connection.
   */
  send(address: string, request: OutboundRequest): Promise<OutboundAnswer>
}

interface Options {
  /** False for tests on this machine: then any port, http and private networks are allowed. */
  isGuarded: boolean
  /** Returns the IP addresses of a name; none if there are none. */
  resolve?: (name: string) => Promise<string[]>
  limitMs?: number
}

export function makeOutbound({ isGuarded, resolve = resolveName, limitMs = LIMIT_MS }: Options): Outbound {
  /** Says nothing of why: otherwise it would tell which names the inner network knows. */
  const forbidden = () => new Refusal('forbidden_address')

  async function locate(address: string, signal: AbortSignal): Promise<{ url: URL; addresses: string[] }> {
    const url = URL.canParse(address) ? new URL(address) : undefined
    if (!url || !isAllowed(url, isGuarded)) throw forbidden()
    // The parser has made one form of all ways to write an IP address.
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) ? [host] : await orAbort(resolve(host), signal)
    if (addresses.length === 0 || (isGuarded && !addresses.every(isPublicAddress))) throw forbidden()
    return { url, addresses }
  }

  return {
    check: async (address) => (await locate(address, AbortSignal.timeout(limitMs))).url.href,
    async send(address, request) {
      const signal = AbortSignal.timeout(limitMs)
      const { url, addresses } = await locate(address, signal)
      return await exchange(url, addresses, request, signal)
    },
  }
}

function isAllowed({ protocol, port, username, password }: URL, isGuarded: boolean): boolean {
  if (!isGuarded) return protocol === 'https:' || protocol === 'http:'
  // The port of the scheme is empty.
  return protocol === 'https:' && port === '' && username === '' && password === ''
}

/** Asks the name servers. Not `dns.lookup`: a name that is answered slowly would hold up the threads that passwords are hashed on. */
async function resolveName(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** Waits for the answer, or throws once the signal comes. */
async function orAbort<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const abort = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  return await Promise.race([answer, abort])
}

/** A look-up that answers the addresses which were checked, whatever the name leads to by now. */
function pinned(addresses: string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, { all }, answer) => {
    if (all) return answer(null, known)
    const [first = { address: '', family: 0 }] = known
    answer(null, first.address, first.family)
  }
}

function exchange(
  url: URL,
  addresses: string[],
  { method, headers, body, answerBytes }: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http
    // A connection of its own: one that is kept open may lead to an address of before.
    const outgoing = request(url, { method, headers, signal, agent: false, lookup: pinned(addresses) })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      readStart(response, answerBytes).then((text) => resolve({ status, headers, text }), reject)
    })
    outgoing.end(body)
  })
}

/** Reads the first bytes of an answer and hangs up. */
async function readStart(response: IncomingMessage, limit: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  if (limit === 0) response.destroy()
  else
    for await (const part of response) {
      parts.push(part)
      size += part.length
      if (size >= limit) break
    }
  return Buffer.concat(parts).subarray(0, limit).toString()
}
