import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { ApiError } from '../../net/api.ts'
import { refreshOwnDevices } from '../../rooms/trust/ownDevices.ts'
import { newPerson, type TestPerson } from '../../testing/people.ts'
import { createWire, type Wire } from '../../testing/wire.ts'
import { knowDevices, refreshDevices, resetDevices, showAnnounced } from '../devices/deviceList.ts'
import { devicesStore } from '../devices/store.ts'
import { byDevice, endOthers, endSessions, loadSessions, resetSessions } from './sessions.ts'
import { browserWords, signInTime } from './sessionWords.ts'
import { answerSignIns, loadSignIns, resetSignIns, watchSignIns, withoutAnnounced } from './signins.ts'
import { sessionsStore, signInsStore } from './store.ts'

afterEach(() => {
  resetDevices()
  resetSignIns()
  resetSessions()
})

let wire: Wire
let alice: TestPerson
beforeEach(async () => {
  wire = createWire()
  alice = await newPerson(wire)
})

const AT = '2026-11-14T14:02:00.000Z'
const CHROME = { browser: 'Chrome', system: 'Windows', ingress: 'direct' as const }
const told = () => signInsStore.getState().signIns
const shown = () => withoutAnnounced(told(), devicesStore.getState().announced).map(({ id }) => id)

/** Somebody signs in to Alice's account. */
function comes(deviceId: string | null = null): string {
  const account = wire.accounts.get(alice.userId)
  if (!account) throw new Error('The account is not on the wire')
  const id = crypto.randomUUID()
  account.sessions = [...(account.sessions ?? []), { ...CHROME, id, deviceId, isCurrent: false, firstSeenAt: AT, lastSeenAt: AT }]
  account.signIns = [
    { ...CHROME, id, deviceId, copiedPasskey: null, isLive: true, signedInAt: AT, answeredBy: [] },
    ...(account.signIns ?? []),
  ]
  return id
}

test('A sign-in is told in each browser until the person answers there, and in no tab of that browser again', async () => {
  const phone = await alice.newComputer()
  const [first, second] = [comes(), comes()]
  await loadSignIns(alice.env)
  expect(shown()).toEqual([second, first])
  await answerSignIns(alice.env, [first])
  expect(shown()).toEqual([second])
  await loadSignIns(alice.env)
  expect(shown()).toEqual([second])
  await loadSignIns(phone.env)
  expect(shown()).toEqual([second, first])

  const loads: Promise<unknown>[] = []
  onTestFinished(watchSignIns(alice.env, (work) => loads.push(work)))
  await answerSignIns((await alice.newTab()).env, [second])
  await expect.poll(() => loads.length).toBeGreaterThan(0)
  await Promise.all(loads)
  expect(shown()).toEqual([])
})

test('A sign-in that added a browser is told once: by the signed announcement of that browser, whose answer counts for both', async () => {
  await showAnnounced(alice.env)
  const phone = await alice.newComputer()
  const id = comes(phone.deviceId)
  await loadSignIns(alice.env)
  expect(shown()).toEqual([id])
  onTestFinished(watchSignIns(alice.env, (work) => void work))
  await refreshOwnDevices(alice.env)
  await refreshDevices(alice.env)
  expect(devicesStore.getState().announced).toMatchObject([{ id: phone.deviceId }])
  expect(shown()).toEqual([])
  expect(told()).toHaveLength(1)
  await knowDevices(alice.env, [phone.deviceId])
  await expect.poll(() => told()).toEqual([])
  expect(await alice.env.api(sessionsApi.signIns, {})).toEqual([])
})

test('An answer that does not reach the server is not taken for one', async () => {
  const id = comes()
  await loadSignIns(alice.env)
  wire.lie = (_, path, answer) => {
    if (path === sessionsApi.answerSignIns.path) throw new ApiError(0, 'offline', 'The server cannot be reached')
    return answer
  }
  await expect(answerSignIns(alice.env, [id])).rejects.toMatchObject({ code: 'offline' })
  expect(shown()).toEqual([id])
})

test('The page of sessions shows each with the browser that it belongs to, and the rest apart; one is ended, or all', async () => {
  const phone = await alice.newComputer()
  const [hers, stranger, gone] = [comes(phone.deviceId), comes(), comes('ee'.repeat(16))]
  await loadSessions(alice.env)
  const { status, sessions } = sessionsStore.getState()
  expect(status).toBe('ready')
  const { of, others } = byDevice(sessions, [alice.deviceId, phone.deviceId])
  expect(of.get(alice.deviceId)).toMatchObject([{ isCurrent: true }])
  expect(of.get(phone.deviceId)).toMatchObject([{ id: hers }])
  expect(others.map(({ id }) => id)).toEqual([stranger, gone])

  await endSessions(alice.env, [stranger])
  // One that is over already counts as ended.
  await endSessions(alice.env, [stranger])
  expect(sessionsStore.getState().sessions.map(({ id }) => id)).not.toContain(stranger)
  expect(await endOthers(alice.env)).toBe(2)
  expect(sessionsStore.getState().sessions).toMatchObject([{ isCurrent: true }])
})

test('Without the server the page says why, and keeps the list that it has', async () => {
  comes()
  const offline = () => {
    throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  wire.lie = offline
  await loadSessions(alice.env)
  expect(sessionsStore.getState()).toMatchObject({ status: 'loading', failure: 'The server cannot be reached' })
  wire.lie = undefined
  await loadSessions(alice.env)
  wire.lie = offline
  await loadSessions(alice.env)
  expect(sessionsStore.getState()).toMatchObject({ status: 'ready', failure: 'The server cannot be reached' })
  expect(sessionsStore.getState().sessions).toHaveLength(2)
})

test('A browser is called by what is known of it, and the time of a sign-in has its day unless it is today', () => {
  expect(browserWords(CHROME)).toBe('Chrome on Windows')
  expect(browserWords({ browser: '', system: '' })).toBe('Unknown browser')
  expect(browserWords({ browser: '', system: 'Linux' })).toBe('Unknown browser on Linux')
  const at = new Date(2026, 10, 14, 14, 2)
  expect(signInTime(at, new Date(2026, 10, 14, 23, 0))).toBe('2:02 PM')
  expect(signInTime(at, new Date(2026, 10, 15, 0, 1))).toBe('Nov 14, 2026, 2:02 PM')
})
