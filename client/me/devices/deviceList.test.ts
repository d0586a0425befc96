import { afterEach, expect, onTestFinished, test } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { ApiError } from '../../net/api.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { refreshOwnDevices } from '../../rooms/trust/ownDevices.ts'
import { SEEN_AT } from '../../testing/accounts.ts'
import { newPerson, passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { profileCopy } from '../../testing/profile.ts'
import { people } from '../../testing/room.ts'
import { createWire } from '../../testing/wire.ts'
import {
  knowCopy,
  knowDevices,
  loadDevices,
  refreshDevices,
  resetDevices,
  showAnnounced,
  watchOwnNews,
  watchTabs,
} from './deviceList.ts'
import { removeBrowser } from './removeBrowser.ts'
import { devicesStore } from './store.ts'

afterEach(resetDevices)

const shown = () => devicesStore.getState()
const opener = ({ username }: TestPerson) => ({ kind: 'password' as const, password: passwordOf(username) })

async function aliceHasTwo() {
  const wire = createWire()
  const laptop = await newPerson(wire)
  await showAnnounced(laptop.env)
  const phone = await laptop.newComputer()
  await refreshOwnDevices(laptop.env)
  return { wire, laptop, phone }
}

test('The list names every browser of the account, this one first, and says when each was last seen', async () => {
  const startedAt = Date.now()
  const { laptop, phone } = await aliceHasTwo()
  await loadDevices(laptop.env)
  expect(shown()).toMatchObject({ status: 'ready', failure: null, keepsHistory: true })
  expect(shown().devices).toMatchObject([
    { id: laptop.deviceId, name: 'Firefox on Linux', browser: 'Firefox', system: 'Linux', isCurrent: true },
    { id: phone.deviceId, name: 'Another browser', isCurrent: false },
  ])
  expect(shown().devices[1]?.lastSeenAt).toBe(SEEN_AT)
  expect(Date.parse(shown().devices[1]?.addedAt ?? '')).toBeGreaterThanOrEqual(startedAt)
})

test('Eve runs the server: who is a device and which address is shown are not hers to say', async () => {
  const { wire, laptop, phone } = await aliceHasTwo()
  const ghost = { id: 'ee'.repeat(16), addedAt: new Date().toISOString(), lastSeenAt: new Date().toISOString(), isCurrent: true }
  wire.lie = (_, path, answer) => (path === '/api/devices' ? [ghost] : answer)
  await loadDevices(laptop.env)
  expect(shown().devices.map(({ id, isCurrent }) => [id, isCurrent])).toEqual([
    [laptop.deviceId, true],
    [phone.deviceId, false],
  ])
  const manifest = JSON.parse(wire.accounts.get(laptop.userId)?.keys.manifest.content ?? '')
  expect(shown().identityKey).toBe(manifest.identityKey)
})

test('Without the server the browsers stand there all the same, with the reason why nothing more is known', async () => {
  const { wire, laptop } = await aliceHasTwo()
  wire.lie = (_, path, answer) => {
    if (path === '/api/devices') throw new ApiError(0, 'offline', 'The server cannot be reached')
    return answer
  }
  await loadDevices(laptop.env)
  expect(shown()).toMatchObject({ status: 'ready', failure: 'The server cannot be reached' })
  expect(shown().devices.map(({ lastSeenAt }) => lastSeenAt)).toEqual([null, null])
  wire.lie = undefined
  await loadDevices(laptop.env)
  expect(shown().failure).toBeNull()
  expect(shown().devices[1]?.lastSeenAt).not.toBeNull()
})

test('A new browser is announced until one tab answers; the other tabs hear of it', async () => {
  const { laptop, phone } = await aliceHasTwo()
  await refreshDevices(laptop.env)
  expect(shown().announced).toMatchObject([{ id: phone.deviceId, name: 'Another browser' }])
  const tab = await laptop.newTab()
  await knowDevices(tab.env, [phone.deviceId])
  expect(shown().announced).toEqual([])

  const reloads: Promise<unknown>[] = []
  const stop = watchTabs(laptop.env, (work) => reloads.push(work))
  await knowDevices(tab.env, [phone.deviceId])
  // This page still shows the device, as another tab would.
  devicesStore.setState({ announced: await phone.env.crypto.ownDevices() })
  await expect.poll(() => reloads.length).toBe(1)
  await reloads[0]
  stop()
  expect(shown().announced).toEqual([])
})

test('Alice removes her lost phone: it is on the list no more, and learns that it is out', async () => {
  const { laptop, phone } = await aliceHasTwo()
  await signPageIn(laptop)
  await loadDevices(laptop.env)
  await expect(removeBrowser(laptop.env, { kind: 'password', password: 'not hers' }, phone.deviceId)).rejects.toMatchObject({
    code: 'way',
  })
  expect(shown().devices).toHaveLength(2)
  await removeBrowser(laptop.env, opener(laptop), phone.deviceId)
  expect(shown().devices.map(({ id }) => id)).toEqual([laptop.deviceId])
  expect(shown().announced).toEqual([])
  expect(await refreshOwnDevices(phone.env)).toBe(false)
})

test('Eve has the password, and the server tells nobody of her browser: the commit by which it comes into a chat announces it', async () => {
  const { alice, bob } = await people()
  await showAnnounced(alice.env)
  await alice.says(bob, 'hello')
  const eves = await alice.newComputer()
  await eves.says(bob, 'send me the keys')
  // Eve uses a separate page.
  resetDevices()
  onTestFinished(watchOwnNews(alice.env, (work) => void work))
  expect(shown().announced).toEqual([])
  await catchUp(alice.env, alice.room(bob))
  await expect.poll(() => shown().announced).toMatchObject([{ id: eves.deviceId }])
})

test('The server answers with the list from before her browser: the version that the commit names is fetched, and announced', async () => {
  const { wire, alice, bob } = await people()
  await showAnnounced(alice.env)
  await alice.says(bob, 'hello')
  const before = await alice.env.api(devicesApi.keys, {})
  const eves = await alice.newComputer()
  await eves.says(bob, 'send me the keys')
  resetDevices()
  wire.lie = (_, path, answer) => (path === devicesApi.keys.path ? before : answer)
  onTestFinished(watchOwnNews(alice.env, (work) => void work))
  await catchUp(alice.env, alice.room(bob))
  await expect.poll(() => shown().announced).toMatchObject([{ id: eves.deviceId }])
})

test("A backup of Alice's browser is restored: it says that its data was copied or restored, in each tab, until she answers", async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  const restore = await profileCopy(alice.userId)
  await alice.says(bob, 'after the backup')
  await restore()
  const restored = await alice.newTab()
  onTestFinished(watchOwnNews(restored.env, (work) => void work))
  await showAnnounced(restored.env)
  expect(shown().copiedAt).toBeNull()
  await catchUp(restored.env, restored.room(bob))
  await expect.poll(() => shown().copiedAt).not.toBeNull()
  await knowCopy(restored.env)
  expect(shown().copiedAt).toBeNull()
  await restored.says(bob, 'and on')
  expect((await bob.hears(alice)).at(-1)).toBe('and on')
  await restored.reads(bob)
  expect(await restored.core.copiedAt()).toBeNull()
})

test("A thief of Alice's browser comes into the chat with its keys: the browser itself says that they were copied", async () => {
  const { alice, bob } = await people()
  const backup = await profileCopy(alice.userId)
  await alice.says(bob, 'hello')
  const here = await profileCopy(alice.userId)
  // The thief restores the older vault and enters the room by an external commit.
  await backup()
  const thief = await alice.newTab()
  await thief.says(bob, 'give me the money')
  await here()
  const original = await alice.newTab()
  await catchUp(original.env, original.room(bob))
  expect(await original.core.copiedAt()).not.toBeNull()
})
