import { expect, test } from 'vitest'
import { accountApi } from '../../contract/account.ts'
import { RATES } from '../../contract/limits.ts'
import { Refusal } from '../refuse.ts'
import { startWorld } from '../testing/world.ts'
import { makeLimits } from './limits.ts'

test('after the last point the answer says when to try again, and then it works', async () => {
  let now = new Date('2026-01-01T00:00:50Z')
  const limits = makeLimits(() => now)
  for (let call = 0; call < RATES.availability.points; call++) await limits.take('availability', '203.0.113.9')
  const refused = await limits.take('availability', '203.0.113.9').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Refusal)
  expect(refused).toMatchObject({ status: 429, retryAfterSeconds: 10, message: 'Too many attempts. Try again in 10 seconds' })
  await limits.take('availability', '203.0.113.10')
  await limits.take('salt', '203.0.113.9')
  now = new Date('2026-01-01T00:01:00Z')
  await limits.take('availability', '203.0.113.9')
})

const world = await startWorld({ hasLimits: true, variables: { TRUST_PROXY: '1' } })

test('an address that asks too often is refused by name, with Retry-After; another address is not', async () => {
  const asks = (address: string) =>
    world.stranger().request('GET', '/api/username-available?username=someone', { headers: { 'x-forwarded-for': address } })
  // At the beginning of a window: all calls fall into it.
  world.passes(RATES.availability.seconds - ((world.env.clock().getTime() / 1000) % RATES.availability.seconds))
  for (let call = 0; call < RATES.availability.points; call++) await asks('203.0.113.9')
  const answer = await asks('203.0.113.9')
  expect(answer).toBeRefused(429, 'too_many_requests')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await asks('203.0.113.77')).status).toBe(200)
  expect(await world.stranger().tries(accountApi.usernameAvailable, { username: 'someone' })).toMatchObject({ status: 200 })
})
