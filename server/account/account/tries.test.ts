import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { type Browser, newBrowser } from '../../testing/browser.ts'
import { newAuthSecret } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld({ hasLimits: true, variables: { TRUST_PROXY: '1' } })
const onionPort = await world.opens({ ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [] })
const { points } = RATES.signInByNameAndAddress

/** Returns the status of a sign-in from this address. */
async function signsIn(browser: Browser, address: string, username: string, password: string): Promise<number> {
  const headers = { 'x-forwarded-for': address }
  const { status } = await browser.request('POST', accountApi.login.path, { body: { username, password, kdf: 1 }, headers })
  return status
}

test('anybody tries ten wrong passwords from elsewhere: the owner still signs in, from an address of her own or in her browser', async () => {
  const alice = await world.person('alice')
  const eve = world.stranger()
  for (let at = 0; at < points; at++) expect(await signsIn(eve, '203.0.113.1', alice.username, newAuthSecret())).toBe(401)
  expect(await signsIn(eve, '203.0.113.1', alice.username, alice.authSecret)).toBe(429)
  expect(await signsIn(world.stranger(), '203.0.113.2', alice.username, alice.authSecret)).toBe(200)
  // Alice is at the same address, but her browser is known.
  alice.cookie = undefined
  expect(await signsIn(alice, '203.0.113.1', alice.username, alice.authSecret)).toBe(200)
  // The cookie is no key: with wrong passwords it is refused like any other, and it counts for no other account.
  const thief = world.stranger()
  thief.mark = alice.mark
  for (let at = 0; at < points; at++) expect(await signsIn(thief, '203.0.113.3', alice.username, newAuthSecret())).toBe(401)
  expect(await signsIn(thief, '203.0.113.3', alice.username, alice.authSecret)).toBe(429)
})

test('wrong tries at a name are bounded from everywhere together, and a browser that is known gets in all the same', async () => {
  const bob = await world.person('bob')
  const { points: total } = RATES.signInByName
  for (let at = 0; at < total; at++) await signsIn(world.stranger(), `198.51.100.${at % 250}`, bob.username, newAuthSecret())
  expect(await signsIn(world.stranger(), '192.0.2.1', bob.username, bob.authSecret)).toBe(429)
  bob.cookie = undefined
  expect(await signsIn(bob, '192.0.2.1', bob.username, bob.authSecret)).toBe(200)
})

test('who signs in rightly again and again is never told to wait', async () => {
  const carol = await world.person('carol')
  for (let at = 0; at < 2 * RATES.signInByAddress.points; at++)
    expect(await signsIn(world.stranger(), '203.0.113.9', carol.username, carol.authSecret)).toBe(200)
})

test('who comes by the onion service shares no address with others: ten wrong tries of one there lock nobody out', async () => {
  const dora = await world.person('dora')
  const byOnion = newBrowser(`http://127.0.0.1:${onionPort}`)
  for (let at = 0; at < 2 * RATES.signInByAddress.points; at++)
    expect(await signsIn(byOnion, '', dora.username, newAuthSecret())).toBe(401)
  expect(await signsIn(newBrowser(`http://127.0.0.1:${onionPort}`), '', dora.username, dora.authSecret)).toBe(200)
  expect(await signsIn(world.stranger(), '203.0.113.10', dora.username, dora.authSecret)).toBe(200)
})
