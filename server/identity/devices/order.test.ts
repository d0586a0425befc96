import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { OrderAct } from '../../../contract/account/forms.ts'
import type { Browser } from '../../testing/browser.ts'
import { newIdentity, orderSignature } from '../../testing/keys.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

/** Makes a person whose password opens no keys; only the kit does. */
async function withKitOnly(): Promise<Person> {
  const alice = await world.person('alice')
  await alice.changesKeys({ adds: ['kit'], drops: ['password'] }, { kitSecret: newAuthSecret() })
  return alice
}

async function thiefOf({ username, authSecret, deviceId }: Person): Promise<Browser> {
  const thief = world.stranger()
  await thief.does(accountApi.login, { username, password: authSecret, kdf: 1, deviceId })
  return thief
}

const newPassword = ({ authSecret }: Person, next: string) => ({
  ...{ currentPassword: authSecret, newPassword: next, confirmNewPassword: next, kdf: 1 as const },
})

const orders = async (browser: Browser, { id, identity }: Person, act: OrderAct, fields: object) => {
  const { challenge } = await browser.does(devicesApi.challenge, {})
  return orderSignature(identity, [browser.origin ?? '', id, challenge, act], fields)
}

test('Eve has the password of an account that needs its kit: she neither deletes it nor locks its owner out', async () => {
  const alice = await withKitOnly()
  const thief = await thiefOf(alice)
  const deletion = { password: alice.authSecret, kdf: 1 as const }
  const change = newPassword(alice, newAuthSecret())
  expect(await thief.tries(accountApi.remove, deletion)).toBeRefused(403, 'order_required')
  expect(await thief.tries(accountApi.changePassword, change)).toBeRefused(403, 'order_required')
  const own = newIdentity()
  const { challenge } = await thief.does(devicesApi.challenge, {})
  const forge = (act: OrderAct, fields: object) => orderSignature(own, [thief.origin ?? '', alice.id, challenge, act], fields)
  for (const order of [randomBytes(64).toString('base64'), forge('delete account', deletion)])
    expect(await thief.tries(accountApi.remove, { ...deletion, order })).toBeRefused(400, 'invalid_signature')
  await alice.returns()
  expect((await alice.contacts()).length).toBe(0)
})

test('an order is for one act, session, page and content, and for a few minutes: as anything else it does nothing', async () => {
  const alice = await withKitOnly()
  const thief = await thiefOf(alice)
  const [hers, other] = [newAuthSecret(), newAuthSecret()]
  const fields = newPassword(alice, hers)
  const order = await orders(alice, alice, 'change password', fields)
  const isRefused = async (browser: Browser, input: object) =>
    expect(await browser.tries(accountApi.changePassword, { ...input, order })).toBeRefused(400, 'invalid_signature')
  await isRefused(thief, fields)
  await isRefused(alice, newPassword(alice, other))
  // The same fields in another order, or with more in them, are not what was signed.
  await isRefused(alice, Object.fromEntries(Object.entries(fields).reverse()))
  await isRefused(alice, { ...fields, more: 1 })
  expect(await alice.tries(accountApi.changePassword, { order, ...fields })).toBeRefused(400, 'invalid_signature')
  const deletion = { password: alice.authSecret, kdf: 1 }
  expect(await alice.tries(accountApi.remove, { ...deletion, order })).toBeRefused(400, 'invalid_signature')
  const forDeletion = await orders(alice, alice, 'delete account', fields)
  expect(await alice.tries(accountApi.changePassword, { ...fields, order: forDeletion })).toBeRefused(400, 'invalid_signature')
  const origin = alice.origin ?? ''
  alice.origin = origin.replace('localhost', '127.0.0.1')
  await isRefused(alice, fields)
  alice.origin = origin
  world.passes(5 * 60)
  await isRefused(alice, fields)
  await alice.does(accountApi.changePassword, { ...fields, order: await orders(alice, alice, 'change password', fields) })
  expect(await world.stranger().does(accountApi.login, { username: alice.username, password: hers, kdf: 1 })).toMatchObject({
    id: alice.id,
  })
})
