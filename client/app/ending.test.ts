import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accountStore } from '../me/account/accountState.ts'
import { removeDevice } from '../me/account/keys.ts'
import { resetDevices } from '../me/devices/deviceList.ts'
import { devicesStore } from '../me/devices/store.ts'
import { openBrowser } from '../testing/browser.ts'
import { newPerson, passwordOf, signPageIn, type TestPerson } from '../testing/people.ts'
import { createWire } from '../testing/wire.ts'
import { checkOwnKeys, signedOutElsewhere } from './ending.ts'

/** What the address bar showed, one after the other. */
const shown: { state: unknown; address: string }[] = []

beforeEach(openBrowser)
beforeEach(() => {
  vi.stubGlobal('location', { pathname: '/chat/dm_a_b', search: '' })
  vi.stubGlobal('history', { replaceState: (state: unknown, _: string, address: string) => shown.push({ state, address }) })
  shown.length = 0
})
afterEach(() => {
  vi.unstubAllGlobals()
  resetDevices()
})

/** Whether a sign-in would find this browser's keys. */
const keepsKeys = async ({ core, username }: TestPerson) => (await core.deviceHere(username)) !== null

/** Alice's second browser removes this one; answers the list that the server then hands out. */
async function removed(laptop: TestPerson, wire: ReturnType<typeof createWire>) {
  const phone = await laptop.newComputer()
  await signPageIn(laptop)
  await removeDevice(phone.env, { kind: 'password', password: passwordOf(laptop.username) }, laptop.deviceId)
  const signed = wire.accounts.get(laptop.userId)?.keys.manifest
  if (!signed) throw new Error('The account is not on the wire')
  return signed
}

test('A browser that was removed wipes itself and says so, when the list that removed it arrives', async () => {
  const wire = createWire()
  const laptop = await newPerson(wire)
  await signedOutElsewhere(laptop.env, laptop.userId, { manifest: await removed(laptop, wire) })
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: 'This browser was removed from your account.' })
  expect(await keepsKeys(laptop)).toBe(false)
  // Nothing of the person stays, also not where they were.
  expect(shown).toEqual([{ state: { left: null }, address: '/auth' }])
})

test('A refused request that ends the session meanwhile does not save the vault of a removed browser', async () => {
  const wire = createWire()
  const laptop = await newPerson(wire)
  const manifest = await removed(laptop, wire)
  const ending = signedOutElsewhere(laptop.env, laptop.userId, { manifest })
  accountStore.setState({ phase: 'signed_out', user: null, notice: 'Your session has ended. Sign in again.' })
  await ending
  expect(accountStore.getState().notice).toBe('This browser was removed from your account.')
  expect(await keepsKeys(laptop)).toBe(false)
})

test('A removal that was missed is found when the keys are asked for', async () => {
  const wire = createWire()
  const laptop = await newPerson(wire)
  await removed(laptop, wire)
  await checkOwnKeys(laptop.env, laptop.userId)
  expect(accountStore.getState().notice).toBe('This browser was removed from your account.')
  expect(await keepsKeys(laptop)).toBe(false)
})

test('Being signed out takes no keys, and neither does Eve with a list that Alice did not sign', async () => {
  const wire = createWire()
  const [alice, eve] = [await newPerson(wire), await newPerson(wire)]
  await signPageIn(alice)
  await signedOutElsewhere(alice.env, alice.userId, {})
  expect(accountStore.getState().notice).toBe('You were signed out.')
  expect(shown).toEqual([{ state: { left: { path: '/chat/dm_a_b', userId: alice.userId } }, address: '/auth' }])
  expect(await keepsKeys(alice)).toBe(true)

  const again = await alice.newTab()
  await signPageIn(again)
  const forged = wire.accounts.get(eve.userId)?.keys.manifest
  await expect(signedOutElsewhere(again.env, again.userId, forged ? { manifest: forged } : {})).rejects.toMatchObject({
    name: 'CryptoFailure',
  })
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: 'You were signed out.' })
  expect(await keepsKeys(again)).toBe(true)
})

test('Whoever is signed out from another browser is told so, keeps the keys here, and may sign in again', async () => {
  const wire = createWire()
  const laptop = await newPerson(wire)
  await signPageIn(laptop)
  const manifest = wire.accounts.get(laptop.userId)?.keys.manifest
  await signedOutElsewhere(laptop.env, laptop.userId, { reason: 'ended', ...(manifest && { manifest }) })
  expect(accountStore.getState().notice).toContain('signed out from another browser of yours')
  expect(await keepsKeys(laptop)).toBe(true)
})

test('A browser that stays hears of a new one and announces it', async () => {
  const wire = createWire()
  const laptop = await newPerson(wire)
  await signPageIn(laptop)
  await checkOwnKeys(laptop.env, laptop.userId)
  const phone = await laptop.newComputer()
  await checkOwnKeys(laptop.env, laptop.userId)
  expect(devicesStore.getState().announced.map(({ id }) => id)).toEqual([phone.deviceId])
  expect(accountStore.getState().phase).toBe('signed_in')
})
