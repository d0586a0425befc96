import { expect, test } from 'vitest'
import type { FactorDetails } from '../../../contract/account/assertion.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { newAuthenticator } from '../../testing/authenticator.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { plantEndpoints, planted } from '../../testing/planted.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ plant: plantEndpoints })
const admin = async (name: string) => {
  const person = await world.person(name)
  await world.sql('update users set is_admin = true where id = $1', [person.id])
  return person
}
const acts = (who: Pick<Person, 'tries'>) => who.tries(planted.recent, { word: 'x' })
const confirms = (who: Person, password = who.authSecret) => who.tries(stepUpApi.confirm, { password, kdf: 1 })

test('the password opens what needs a confirmation for five minutes, in this session alone', async () => {
  const alice = await admin('alice')
  const other = await alice.addsBrowser()
  expect(await acts(alice)).toBeRefused(401, 'step_up_required')
  expect(await confirms(alice)).toMatchObject({ status: 200, body: { until: expect.any(String) } })
  expect((await acts(alice)).status).toBe(200)
  expect(await acts(other)).toBeRefused(401, 'step_up_required')
  world.passes(LIMITS.stepUpSeconds - 1)
  expect((await acts(alice)).status).toBe(200)
  world.passes(1)
  expect(await acts(alice)).toBeRefused(401, 'step_up_required')
})

test('a passkey confirms as well, once, and only what was asked of it', async () => {
  const alice = await admin('alice')
  const passkey = newAuthenticator(alice.origin ?? '', alice.id)
  await alice.addsPasskey(passkey)
  const { challenge, ids } = await alice.does(stepUpApi.options, {})
  expect(ids).toEqual([passkey.id])
  const assertion = passkey.asserts(challenge)
  expect((await alice.tries(stepUpApi.confirm, { assertion })).status).toBe(200)
  expect((await acts(alice)).status).toBe(200)
  world.passes(LIMITS.stepUpSeconds)
  expect(await alice.tries(stepUpApi.confirm, { assertion })).toBeRefused(401, 'passkey_refused')
  expect(await acts(alice)).toBeRefused(401, 'step_up_required')
})

test('where the password needs a passkey, who has an open session and the password confirms nothing; the passkey does', async () => {
  const alice = await admin('alice')
  const passkey = newAuthenticator(alice.origin ?? '', alice.id)
  await alice.addsPasskey(passkey, true)
  await world.sql('update users set biometric_enabled = true where id = $1', [alice.id])
  const refused = await confirms(alice)
  expect(refused).toBeRefused(401, 'biometric_required')
  // A wrong one is refused alike, so that nobody learns whether it was right.
  expect(await confirms(alice, newAuthSecret())).toBeRefused(401, 'biometric_required')
  expect(await acts(alice)).toBeRefused(401, 'step_up_required')
  const { details } = refused.body as { details: FactorDetails }
  expect((await alice.tries(stepUpApi.confirm, { assertion: passkey.asserts(details.challenge) })).status).toBe(200)
  expect((await acts(alice)).status).toBe(200)
})

test('Eve confirms nothing by a guess, by her own password or passkey, or by an empty form', async () => {
  const [alice, eve] = [await admin('alice'), await admin('eve')]
  const hers = newAuthenticator(eve.origin ?? '', eve.id)
  await eve.addsPasskey(hers)
  const { challenge } = await alice.does(stepUpApi.options, {})
  expect(await confirms(alice, newAuthSecret())).toBeRefused(401, 'invalid_credentials')
  expect(await confirms(alice, eve.authSecret)).toBeRefused(401, 'invalid_credentials')
  expect(await alice.tries(stepUpApi.confirm, { assertion: hers.asserts(challenge) })).toBeRefused(401, 'passkey_refused')
  expect(await alice.tries(stepUpApi.confirm, {})).toBeRefused(400, 'invalid_input')
  expect(await acts(alice)).toBeRefused(401, 'step_up_required')
})
