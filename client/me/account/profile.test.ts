import { beforeEach, expect, test } from 'vitest'
import { accountApi, type User } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { inTurn } from '../../net/inTurn.ts'
import { openBrowser } from '../../testing/browser.ts'
import { ALL_SHOWN } from '../../testing/privacy.ts'
import { refreshUser } from './account.ts'
import { accountStore } from './accountState.ts'
import { profileErrors, saveProfile } from './profile.ts'

const alice: User = {
  ...{ id: 'a1', username: 'alice', displayName: 'Alice', profileImageUrl: null, isAdmin: false, subscriptionTier: 'free' },
  ...{ biometricEnabled: false, email: 'alice@example.org', onionAddress: null, hasKeys: true, deviceId: null },
  privacy: ALL_SHOWN,
}
const closed: string[] = []

/** A page of Alice; `answers` is what the server says to each change of the profile. */
function page(answers: (input: object) => unknown): Env {
  accountStore.setState({ phase: 'signed_in', user: alice, notice: null, isNew: false })
  const api = async (call: unknown, input: object) => (call === accountApi.updateProfile ? answers(input) : alice)
  const crypto = { close: async () => void closed.push('crypto') }
  return { api, crypto, socket: { close: () => void closed.push('socket') } } as never
}
const shown = () => accountStore.getState().user

beforeEach(() => {
  openBrowser()
  closed.length = 0
})

test('A saved name shows at once, nothing is said of the email, and this browser remembers it', async () => {
  const sent: unknown[] = []
  const env = page((input) => {
    sent.push(input)
    return { ...alice, ...input }
  })
  await saveProfile(env, { displayName: 'Alice Liddell' })
  expect(sent).toEqual([{ displayName: 'Alice Liddell' }])
  expect(shown()).toEqual({ ...alice, displayName: 'Alice Liddell' })
  expect(JSON.parse(localStorage.getItem('user') ?? '')).toEqual({ id: 'a1', username: 'alice', displayName: 'Alice Liddell' })
})

test('A read of the user that began before does not bring the old name back', async () => {
  let answer = (_: User) => expect.fail('nobody reads')
  const before = new Promise<User>((resolve) => {
    answer = resolve as typeof answer
  })
  const env = page((input) => ({ ...alice, ...input }))
  const api: unknown = (call: unknown, input: object) => (call === accountApi.user ? before : env.api(call as never, input))
  const reading = { ...env, api: api as Env['api'] }
  const read = inTurn(reading, 'user', () => refreshUser(reading))
  const saved = saveProfile(reading, { displayName: 'Alice Liddell' })
  answer(alice)
  await Promise.all([read, saved])
  expect(shown()?.displayName).toBe('Alice Liddell')
})

test.each(['', '   ', '\u200b'])('A name without a visible letter, "%s", is not sent', async (typed) => {
  const env = page(() => expect.fail('sent'))
  await expect(saveProfile(env, { displayName: typed })).rejects.toMatchObject({ message: 'Display name is required' })
  expect(shown()).toEqual(alice)
})

test('An email that is none is not sent and says so at its field; an empty one clears it', async () => {
  const sent: unknown[] = []
  const env = page((input) => {
    sent.push(input)
    return { ...alice, email: null }
  })
  expect(profileErrors({ displayName: '', email: 'alice@whitcombe' })).toEqual({
    displayName: 'Display name is required',
    email: 'Invalid email address',
  })
  await expect(saveProfile(env, { displayName: 'Alice', email: 'alice@whitcombe' })).rejects.toThrow('Invalid email address')
  expect(sent).toEqual([])
  await saveProfile(env, { displayName: 'Alice', email: '' })
  expect(sent).toEqual([{ displayName: 'Alice', email: '' }])
  expect(shown()?.email).toBeNull()
})

test('A refusal leaves the name that was there', async () => {
  const env = page(() => Promise.reject(new ApiError(429, 'too_many_requests', 'Too many attempts')))
  await expect(saveProfile(env, { displayName: 'Alice Liddell' })).rejects.toThrow('Too many attempts')
  expect(shown()).toEqual(alice)
})

test('A server that answers the new name of another account closes the page', async () => {
  const env = page((input) => ({ ...alice, ...input, id: 'e5', username: 'eve' }))
  await saveProfile(env, { displayName: 'Alice Liddell' })
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', user: null })
  expect(closed).toEqual(['socket', 'crypto'])
})
