import { devicesApi } from '../../contract/account/devices.ts'
import { type Session, sessionsApi } from '../../contract/account/sessions.ts'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { ApiError } from '../net/api.ts'
import { SEEN_AT } from './accounts.ts'
import { accountIn, type ServerState, type Verb } from './state.ts'

/** Throws ApiError. */
export function requireAwake({ accounts }: ServerState, endpoint: Endpoint, userId: string, deviceId: string): void {
  const isOpen = endpoint.access === 'anyone' || endpoint.whileAsleep
  if (accounts.get(userId)?.asleep?.has(deviceId) && !isOpen)
    throw new ApiError(403, 'device_required', 'This browser has not shown yet that it belongs to the account')
}

/** The endpoints of sessions and sign-ins, according to the contract. */
export function sessionVerbs(state: ServerState): Verb[] {
  const of = (userId: string) => accountIn(state, userId)

  /** The session of the device that asks, and those that the test has started. */
  function sessionsOf(userId: string, deviceId: string): Session[] {
    const others = of(userId).sessions ?? []
    const own = { browser: '', system: '', ingress: 'direct' as const, firstSeenAt: SEEN_AT, lastSeenAt: SEEN_AT }
    return [{ ...own, id: crypto.randomUUID(), deviceId, isCurrent: true }, ...others]
  }

  function end(userId: string, id: string): object {
    const account = of(userId)
    const left = (account.sessions ?? []).filter((session) => session.id !== id)
    if (left.length === (account.sessions ?? []).length) throw new ApiError(404, 'not_found', 'Not found')
    account.sessions = left
    for (const signIn of account.signIns ?? []) if (signIn.id === id) signIn.isLive = false
    return {}
  }

  function sleep(userId: string, deviceId: string): object {
    const account = of(userId)
    account.asleep = (account.asleep ?? new Set()).add(deviceId)
    return {}
  }

  function wake(userId: string, deviceId: string): object {
    of(userId).asleep?.delete(deviceId)
    return {}
  }

  function endOthers(userId: string): object {
    const ended = of(userId).sessions ?? []
    of(userId).sessions = []
    return { count: ended.length }
  }

  const unanswered = (userId: string, deviceId: string) =>
    (of(userId).signIns ?? []).filter(({ answeredBy }) => !answeredBy.includes(deviceId))

  function answer(userId: string, deviceId: string, ids: string[]): object {
    for (const signIn of unanswered(userId, deviceId)) if (ids.includes(signIn.id)) signIn.answeredBy.push(deviceId)
    return {}
  }

  return [
    [sessionsApi.list, (_, userId, deviceId) => sessionsOf(userId, deviceId)],
    [sessionsApi.end, ({ sessionId }: { sessionId: string }, userId) => end(userId, sessionId)],
    [sessionsApi.sleep, (_, userId, deviceId) => sleep(userId, deviceId)],
    [devicesApi.prove, (_, userId, deviceId) => wake(userId, deviceId)],
    [sessionsApi.endOthers, (_, userId) => endOthers(userId)],
    [sessionsApi.signIns, (_, userId, deviceId) => unanswered(userId, deviceId)],
    [sessionsApi.answerSignIns, ({ ids }: { ids: string[] }, userId, deviceId) => answer(userId, deviceId, ids)],
  ]
}
