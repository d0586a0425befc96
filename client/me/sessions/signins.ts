import { type SignIn, sessionsApi } from '../../../contract/account/sessions.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { shownDevices } from '../devices/deviceList.ts'
import { signInsStore } from './store.ts'

/** Channel that makes the other tabs of this browser load anew: an answer in one tab counts for all. */
const TABS = 'conclave/sign-ins'

/** Loads the sign-ins that are not answered in this browser. Queued, so that an older response cannot bring one back. */
export const loadSignIns = (env: Env): Promise<void> =>
  inTurn(env, 'sign-ins', async () => {
    signInsStore.setState({ signIns: await env.api(sessionsApi.signIns, {}) })
  })

/** Notes that the person knows these sign-ins, so that this browser tells of them no more. Other browsers go on. */
export async function answerSignIns(env: Env, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await env.api(sessionsApi.answerSignIns, { ids })
  signInsStore.setState(({ signIns }) => ({ signIns: signIns.filter(({ id }) => !ids.includes(id)) }))
  const tabs = new BroadcastChannel(TABS)
  tabs.postMessage(null)
  tabs.close()
}

/** The sign-ins to tell of. One that added a browser is told by the announcement of that browser, which is signed [Note: D1]. */
export function withoutAnnounced(signIns: SignIn[], announced: readonly { id: string }[]): SignIn[] {
  const told = new Set(announced.map(({ id }) => id))
  return signIns.filter(({ deviceId }) => deviceId === null || !told.has(deviceId))
}

/**
 * Follows answers in other tabs. The answer to an announced browser also answers the sign-in that added it. Returns how to stop.
 */
export function watchSignIns(env: Env, report: (work: Promise<unknown>) => void): () => void {
  const tabs = new BroadcastChannel(TABS)
  tabs.onmessage = () => report(loadSignIns(env))
  const stop = shownDevices.subscribe(({ announced }, before) => {
    const open = new Set(announced.map(({ id }) => id))
    const answered = new Set(before.announced.flatMap(({ id }) => (open.has(id) ? [] : [id])))
    const { signIns } = signInsStore.getState()
    report(answerSignIns(env, idsAt(signIns, answered)))
  })
  return () => {
    tabs.close()
    stop()
  }
}

const idsAt = (signIns: SignIn[], deviceIds: ReadonlySet<string>): string[] =>
  signIns.flatMap(({ id, deviceId }) => (deviceId !== null && deviceIds.has(deviceId) ? [id] : []))

/** Clears the store when the account is closed here. */
export const resetSignIns = (): void => signInsStore.setState({ signIns: [] })
