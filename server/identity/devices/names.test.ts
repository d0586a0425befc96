import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { changed, newDeviceId, newIdentity, signedChange, signedKeys, type TestIdentity, withDevice } from '../../testing/keys.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

const named = (identity: TestIdentity, username: string | undefined): TestIdentity => {
  const { username: _, ...manifest } = identity.manifest
  return { ...identity, manifest: { ...manifest, ...(username !== undefined && { username }) } }
}

/** Changes the account's keys under another signed name. */
const signs = async (person: Person, username: string | undefined) => {
  const next = named(changed(person.identity, { adds: ['passkey'] }), username)
  const answer = await person.tries(devicesApi.changeKeys, signedChange(person.identity, next))
  if (answer.status === 200) person.identity = next
  return answer
}

/** Makes an account whose keys are from before names were signed. */
async function oldAccount(): Promise<Person> {
  const person = await world.person('Mixed')
  person.identity = named(person.identity, undefined)
  const { content } = signedKeys(person.identity, person.deviceId).manifest
  await world.sql('update manifests set content = $2 where user_id = $1', [person.id, content])
  return person
}

test('Eve, who knows a password, gives no account the name of another one: a signed name is that of the account', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const other = bob.username.toLowerCase()
  const deviceId = newDeviceId()
  const username = `${alice.username}_2`
  const authSecret = newAuthSecret()
  const form = { username, displayName: 'Eve', password: authSecret, confirmPassword: authSecret, kdf: 1 as const }
  const keys = signedKeys(newIdentity(deviceId, other), deviceId)
  expect(await world.stranger().tries(accountApi.register, { ...form, keys })).toBeRefused(400, 'invalid_input')

  const old = await oldAccount()
  expect(await signs(old, other)).toBeRefused(400, 'invalid_input')
  const browser = await old.elsewhere()
  const added = named(withDevice(old.identity, deviceId), other)
  expect(await browser.tries(devicesApi.enrol, signedKeys(added, deviceId))).toBeRefused(400, 'invalid_input')
})

test('An account of before signs its name, in lower case, when its keys next change; from then on no device list goes without it', async () => {
  const old = await oldAccount()
  const name = old.username.toLowerCase()
  expect(await signs(old, undefined)).toMatchObject({ status: 200 })
  expect(await signs(old, name)).toMatchObject({ status: 200 })

  const alice = await world.person('alice')
  expect(await signs(alice, undefined)).toBeRefused(400, 'invalid_input')
  expect(await signs(alice, 'someone_else')).toBeRefused(400, 'invalid_input')
  expect(await signs(alice, alice.username.toUpperCase())).toBeRefused(400, 'invalid_input')
  expect(await signs(alice, alice.username.toLowerCase())).toMatchObject({ status: 200 })
})
