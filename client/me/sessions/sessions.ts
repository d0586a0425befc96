import { type Session, sessionsApi } from '../../../contract/account/sessions.ts'
import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import { inTurn } from '../../net/inTurn.ts'
import { failureWords } from '../../ui/failure.ts'
import { sessionsStore } from './store.ts'

/** Loads the account's sessions. After a failure the list stays as it was, with the reason. */
export const loadSessions = (env: Env): Promise<void> =>
  inTurn(env, 'sessions', async () => {
    try {
      sessionsStore.setState({ status: 'ready', failure: null, sessions: await env.api(sessionsApi.list, {}) })
    } catch (error) {
      sessionsStore.setState({ failure: failureWords(error) })
    }
  })

/** Ends these sessions; those that are over already count as ended. Throws ApiError. */
export async function endSessions(env: Env, ids: string[]): Promise<void> {
  for (const sessionId of ids) {
    await env.api(sessionsApi.end, { sessionId }).catch((error: unknown) => {
      if (!isRefused(error, 'not_found')) throw error
    })
  }
  await loadSessions(env)
}

/** Ends every session but this one. Returns how many there were. Throws ApiError. */
export async function endOthers(env: Env): Promise<number> {
  const { count } = await env.api(sessionsApi.endOthers, {})
  await loadSessions(env)
  return count
}

/** The sessions of each device of the signed list, and those that no device of it has signed for. */
export function byDevice(sessions: Session[], deviceIds: readonly string[]): { of: Map<string, Session[]>; others: Session[] } {
  const of = new Map(deviceIds.map((id): [string, Session[]] => [id, []]))
  const others = sessions.filter((session) => {
    const place = session.deviceId === null ? undefined : of.get(session.deviceId)
    place?.push(session)
    return !place
  })
  return { of, others }
}

/** Clears the store when the page of sessions is left. */
export const resetSessions = (): void => sessionsStore.setState(sessionsStore.getInitialState(), true)
