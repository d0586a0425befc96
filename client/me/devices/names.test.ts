import { afterEach, expect, test } from 'vitest'
import { ApiError } from '../../net/api.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { refreshOwnDevices } from '../../rooms/trust/ownDevices.ts'
import { newPerson } from '../../testing/people.ts'
import { createWire } from '../../testing/wire.ts'
import { loadDevices, renameDevice, resetDevices, showListed } from './deviceList.ts'
import { devicesStore } from './store.ts'

afterEach(resetDevices)

const shown = () => devicesStore.getState().devices.map(({ name, browser }) => [name, browser])

async function aliceHasTwo() {
  const wire = createWire()
  const laptop = await newPerson(wire)
  const phone = await laptop.newComputer()
  await refreshOwnDevices(laptop.env)
  await syncBook(laptop.env)
  await loadDevices(laptop.env)
  return { wire, laptop, phone }
}

test('Two browsers of one kind can be told apart: a name shows at once, without a password, and in the other browser too', async () => {
  const { wire, laptop, phone } = await aliceHasTwo()
  const before = structuredClone(wire.accounts.get(laptop.userId)?.keys.manifest)
  await renameDevice(laptop.env, phone.deviceId, '  Phone\u202e in the kitchen ')
  expect(shown()).toEqual([
    ['Firefox on Linux', 'Firefox'],
    ['Phone in the kitchen', expect.any(String)],
  ])
  expect(wire.accounts.get(laptop.userId)?.keys.manifest).toEqual(before)
  expect(JSON.stringify([...wire.accounts])).not.toContain('kitchen')

  resetDevices()
  await syncBook(phone.env)
  await loadDevices(phone.env)
  expect(shown()[0]?.[0]).toBe('Phone in the kitchen')
  await renameDevice(phone.env, phone.deviceId, 'Pocket')
  await syncBook(laptop.env)
  await loadDevices(laptop.env)
  expect(shown()[1]?.[0]).toBe('Pocket')
})

test('An empty name gives back the one that the browser came with', async () => {
  const { laptop } = await aliceHasTwo()
  await renameDevice(laptop.env, laptop.deviceId, 'Study')
  expect(shown()[0]?.[0]).toBe('Study')
  await renameDevice(laptop.env, laptop.deviceId, ' ')
  expect(shown()[0]?.[0]).toBe('Firefox on Linux')
})

test('A name given while the server is away is kept, and saved when it is back', async () => {
  const { wire, laptop, phone } = await aliceHasTwo()
  wire.lie = () => {
    throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  await renameDevice(laptop.env, phone.deviceId, 'Pocket')
  expect(shown()[1]?.[0]).toBe('Pocket')
  wire.lie = undefined
  await syncBook(laptop.env)
  await syncBook(phone.env)
  await loadDevices(phone.env)
  expect(shown()[0]?.[0]).toBe('Pocket')
})

test('Another tab of the browser shows the name without asking the server', async () => {
  const { laptop, phone } = await aliceHasTwo()
  const tab = await laptop.newTab()
  await tab.core.nameDevice({ deviceId: phone.deviceId, name: 'Pocket' })
  await showListed({ ...laptop.env, api: () => expect.fail('asked') })
  expect(shown()[1]?.[0]).toBe('Pocket')
})
