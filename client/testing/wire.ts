import type { AccountKeys } from '../../contract/account/devices.ts'
import type { Contact } from '../../contract/chat/contacts.ts'
import { fromBase64, toBase64 } from '../../contract/ground/bytes.ts'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import type { Api } from '../net/api.ts'
import { accountVerbs, registerIn } from './accounts.ts'
import { chatLockVerbs, requireOpen } from './chatlocks.ts'
import { codeVerbs } from './codes.ts'
import { contactRow, contactVerbs } from './contacts.ts'
import { packageVerbs } from './packages.ts'
import { roomVerbs } from './rooms.ts'
import { requireAwake, sessionVerbs } from './sessions.ts'
import type { ServerState } from './state.ts'

/**
 * A server in memory that follows the contract, for tests of the client: only the network is replaced. A test can make it
 * hostile: `lie` sees every response before the client and may replace it.
 */
export function createWire({ areStrangers = false } = {}) {
  const state: ServerState = {
    accounts: new Map(),
    rooms: new Map(),
    deleted: new Set(),
    contacts: new Map(),
    areStrangers,
    marks: new Map(),
    archivePages: new Map(),
  }
  const wire = {
    ...state,
    /** Replaces a response, as a lying server does. */
    lie: undefined as ((caller: string, path: string, answer: unknown) => unknown) | undefined,
    /** Called before a request takes effect. Throw to lose the request. */
    beforeEffect: undefined as ((caller: string, path: string, method: string) => void) | undefined,
    /** Called after a request took effect and before the response. Throw to lose the response. */
    afterEffect: undefined as ((caller: string, path: string, method: string) => void) | undefined,

    register: (userId: string, keys: AccountKeys): void => registerIn(state, userId, keys),

    /** Returns a row of the contact list. */
    contact: (userId: string, contactUserId: string, deviceId?: string): Contact =>
      contactRow(state, userId, contactUserId, deviceId),

    /** Returns the API of one device of an account. */
    api(userId: string, deviceId: () => string): Api {
      const api = async (endpoint: Endpoint, given: unknown) => {
        const input = endpoint.input.parse(given)
        wire.beforeEffect?.(userId, endpoint.path, endpoint.method)
        const answer = structuredClone(serve(endpoint, input as never, userId, deviceId()))
        wire.afterEffect?.(userId, endpoint.path, endpoint.method)
        return endpoint.output.parse(wire.lie?.(userId, endpoint.path, answer) ?? answer)
      }
      return api as Api
    },
  }

  // By address, because a client that is loaded twice has each endpoint twice.
  const addressOf = ({ method, path }: Endpoint) => `${method} ${path}`
  const every = [
    ...accountVerbs(state),
    ...chatLockVerbs(state),
    ...codeVerbs(state),
    ...contactVerbs(state),
    ...packageVerbs(state),
    ...roomVerbs(state),
    ...sessionVerbs(state),
  ]
  const verbs = new Map(every.map(([endpoint, verb]) => [addressOf(endpoint), verb]))

  function serve(endpoint: Endpoint, input: never, userId: string, deviceId: string): unknown {
    const verb = verbs.get(addressOf(endpoint))
    if (!verb) throw new Error(`The wire does not serve ${endpoint.path}`)
    requireAwake(state, endpoint, userId, deviceId)
    requireOpen(state, endpoint, input, userId, deviceId)
    return verb(input, userId, deviceId)
  }

  return wire
}

export type Wire = ReturnType<typeof createWire>

/** Flips one bit of the middle byte of a base64 text. */
export function bitFlipped(text: string): string {
  const bytes = fromBase64(text)
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  return toBase64(bytes)
}
